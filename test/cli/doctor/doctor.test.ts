import assert from 'node:assert/strict'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import type { Diagnosis, Level } from '../../../src/cli/doctor/index.ts'
import { checks } from '../../../src/cli/doctor/index.ts'
import { type Calls, commandLine } from '../../kit/command-line.ts'
import { place } from '../../kit/content.ts'
import { smallDisk } from '../../kit/disk.ts'
import { tinyPng } from '../../kit/pictures.ts'
import { needsRedis, startRedis } from '../../kit/redis.ts'
import { startTestService } from '../../kit/service.ts'

/** Any free port: the usual one may be in use on a developer's machine. */
const FREE = { PORT: '0' }
const SHA256_OF_HELLO = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'

async function findings({ run }: Calls, ...words: string[]) {
  const { code, stdout, stderr } = await run('doctor', '--json', ...words)
  const told = JSON.parse(stdout) as { success: boolean; counts: Record<Level, number>; findings: Diagnosis[] }
  assert.equal(code, told.counts.wrong === 0 ? 0 : 1, stderr)
  assert.equal(told.success, code === 0)
  const of = (check: string, level: Level) =>
    told.findings.filter((finding) => finding.check === check && finding.level === level)
  return {
    ...told,
    of,
    textOf: (check: string, level: Level) =>
      of(check, level)
        .map(({ text }) => text)
        .join('\n'),
  }
}

test('a good folder is well, every check is told, and the report is for people', async (t) => {
  const line = await commandLine(t, { ...FREE, APP_NAME: 'launcher' })
  await place(line.contentDir, {
    'animals/cat/a.png': tinyPng(1),
    'string/8ball.txt': 'yes\nno\n',
    'blocklist.txt': 'bad.example\n',
  })
  const { counts, ...told } = await findings(line)
  assert.deepEqual(counts.wrong, 0, JSON.stringify(told.findings))
  assert.deepEqual(
    [...new Set(told.findings.map(({ check }) => check))],
    checks.map(({ name }) => name),
  )
  assert.match(told.textOf('content', 'ok'), /^1 picture of 1 kind and 2 items in 1 list follow the rules/)
  assert.match(told.textOf('blocklist', 'ok'), /^1 entry in force \(content\)/)
  const { code, stdout } = await line.run('doctor')
  assert.equal(code, 0)
  assert.match(stdout, /^ok {2}node +Node \d+/)
  assert.match(stdout, /\n\nNothing is wrong.*\.\n$/)
})

test('settings: what is mistyped, wrong or open to all is told with what mends it, and the rest is still looked at', async (t) => {
  const line = await commandLine(t, { FILTER_MAX_BITES: '3', FILTERED: 'not ours', GIT_DIR: '.' })
  const env = join(line.folder, '.env')
  await place(line.contentDir, { 'blocklist.txt': '# nothing yet\n' })
  await writeFile(env, 'PROT=4011\nPORT=http\nSTORE_URL=redis://user:hunter2@127.0.0.1:1\nTRUST_PROXY=0.0.0.0/0\n')
  await chmod(env, 0o644)
  const { of, textOf, ...told } = await findings(line)
  assert.ok(!JSON.stringify(told).includes('hunter2'))
  assert.deepEqual(
    of('settings', 'wrong').map(({ text, mend }) => [text, mend]),
    [
      ['.env sets PROT, which is no setting; did you mean PORT?', 'take PROT out of .env, or give it its right name'],
      ['PORT must be a whole number from 0 to 65535, not "http".', 'PORT=4010'],
    ],
  )
  assert.deepEqual(
    of('settings', 'advice').map(({ text, mend }) => [text, mend]),
    [
      [
        'The environment sets FILTER_MAX_BITES, which is no setting and has no effect.',
        'FILTER_MAX_BYTES=…, if that was meant',
      ],
    ],
  )
  assert.match(textOf('blocklist', 'advice'), /^0 entries in force .*: images of every public host are fetched\.$/)
  assert.deepEqual(of('secrets', 'wrong')[0]?.mend, 'chmod 600 .env')
  assert.equal(textOf('store', 'wrong'), 'The store cannot be used: Redis refuses the connection.')
  assert.match(textOf('network', 'wrong'), /^TRUST_PROXY believes everyone/)
  await chmod(env, 0o600)
  const people = await line.run('doctor', '--store-url', '')
  assert.doesNotMatch(people.stdout, /can read STORE_URL/)
  assert.match(people.stdout, /\nWrong\n 1\. settings: \.env sets PROT[^\n]*\n {6}-> take PROT out/)
  assert.match(people.stdout, /\n\d things are wrong\.\n$/)
})

test('content and releases: each problem by file, line and rule; a file that was changed is found by its digest', async (t) => {
  const line = await commandLine(t, FREE)
  const release = (version: string, file: string) =>
    `  - { version: ${version}, date: 2026-01-01, file: ${file}, bytes: 5, sha256: ${SHA256_OF_HELLO} }\n`
  await place(line.contentDir, {
    'animals/cat/b.png': 'not a picture',
    'app/releases.yaml': `launcher:\n${release('1.0.0', 'good.exe')}${release('1.1.0', 'gone.exe')}${release('1.2.0', 'bad.exe')}`,
    'app/files/good.exe': 'hello',
    'app/files/bad.exe': 'hallo',
    'app/tiers.yaml': '2:\n  resources: 7\n',
  })
  await mkdir(join(line.contentDir, 'blocklist.txt'))
  const { of } = await findings(line.here)
  assert.deepEqual(
    of('content', 'wrong').map(({ file, rule }) => [file, rule]),
    [['animals/cat/b.png', 'type']],
  )
  const placed = of('releases', 'wrong').map(({ file, line, rule }) => `${file}:${line} ${rule}`)
  assert.equal(placed.length, 3)
  assert.ok(
    placed.includes('app/files/gone.exe:1 file-gone') && placed.includes('app/files/bad.exe:1 digest'),
    placed.join(),
  )
  assert.match(placed.find((place) => place.startsWith('app/tiers.yaml')) ?? '', /:2 /)
  assert.match(of('blocklist', 'wrong')[0]?.text ?? '', /^The blocking list cannot be read: it is not a file\.$/)
})

describe('the port', () => {
  test('another program on it is told from our own service, which tells its version and whether it is well', async (t) => {
    const line = await commandLine(t)
    const other = createServer((_, reply) => void reply.end('hello')).listen(0, '127.0.0.1')
    t.after(() => void other.close())
    const service = await startTestService(t)
    const { port } = other.address() as AddressInfo
    const taken = await findings(line.here, '--port', String(port))
    assert.equal(taken.textOf('port', 'wrong'), `Port ${port} is taken by another program.`)
    assert.match(taken.of('port', 'wrong')[0]?.mend ?? '', new RegExp(`^PORT=${port + 1}`))
    const own = await findings(line.here, '--port', new URL(service.url).port)
    assert.match(own.textOf('port', 'ok'), /^Menagerie \d+\.\d+\.\d+ answers on .*, and is ready\.$/)
    assert.match(
      (await findings(line.here, '--host', '192.0.2.1', '--port', '4999')).textOf('port', 'wrong'),
      /no address of this machine/,
    )
  })

  test('a degraded service is told with its reasons', async (t) => {
    const line = await commandLine(t)
    await place(line.contentDir, { 'animals/cat/b.png': 'not a picture' })
    const service = await startTestService(t, { CONTENT_DIR: line.contentDir })
    const { textOf } = await findings(line.here, '--port', new URL(service.url).port)
    assert.match(textOf('port', 'advice'), /but something is wrong \(content: /)
  })
})

describe('the store', () => {
  test('a database is looked at without changing it: made later, well, newer, damaged', async (t) => {
    const line = await commandLine(t, FREE)
    assert.match((await findings(line.here)).textOf('store', 'ok'), /made at the first start/)
    await line.json('token', 'create', 'dashboard')
    const well = await findings(line.here)
    assert.match(
      well.textOf('store', 'ok'),
      /^SQLite 3\.\S+, schema 1; the quick check .*\n1 operator token can be used\.$/,
    )
    const { id } = (await line.json('token', 'list')).tokens[0]
    await line.json('token', 'revoke', id)
    const none = await findings(line.here)
    assert.match(none.of('store', 'advice')[0]?.mend ?? '', /menagerie.* token create dashboard --expires 90d$/)
    const newer = join(line.folder, 'newer.sqlite')
    using db = new DatabaseSync(newer)
    db.exec('PRAGMA user_version = 99; CREATE TABLE t (x)')
    assert.match(
      (await findings(line.here, '--store-url', `sqlite:${newer}`)).textOf('store', 'wrong'),
      /newer version of the service/,
    )
    const broken = join(line.folder, 'broken.sqlite')
    await writeFile(broken, 'certainly no database, but long enough to be one '.repeat(40))
    assert.match(
      (await findings(line.here, '--store-url', `sqlite:${broken}`)).textOf('store', 'wrong'),
      /not a database, or is damaged/,
    )
  })

  test('Redis: its version is told, and that it would forget', needsRedis, async (t) => {
    const line = await commandLine(t, FREE)
    const redis = await startRedis(t, '--maxmemory', '64mb', '--maxmemory-policy', 'allkeys-lru')
    const forgets = await findings(line.here, '--store-url', redis.url)
    assert.match(forgets.textOf('store', 'ok'), /^Redis \d+\.\S+ answers in \d/)
    assert.match(
      forgets.textOf('store', 'wrong'),
      /when its memory is full \(allkeys-lru\)[\s\S]*keeps nothing on a disk/,
    )
    await redis.command('CONFIG SET maxmemory-policy noeviction')
    await redis.command('CONFIG SET save "3600 1"')
    assert.deepEqual((await findings(line.here, '--store-url', redis.url)).of('store', 'wrong'), [])
  })
})

test('folders: one that is missing, a file in its place, and a disk that is full or read-only', async (t) => {
  const line = await commandLine(t, FREE)
  const file = join(line.folder, 'file')
  await writeFile(file, '')
  const { of } = await findings(line.here, '--content-dir', join(line.folder, 'none'), '--data-dir', join(file, 'data'))
  assert.match(of('folders', 'wrong')[0]?.mend ?? '', / init <folder> /)
  assert.match(of('folders', 'wrong')[1]?.text ?? '', /^DATA_DIR .* cannot be made/)
  const disk = await smallDisk(t, 8 * 2 ** 20)
  if (!disk) return
  const full = await findings(line.here, '--data-dir', disk.folder)
  assert.match(full.textOf('disk', 'wrong'), /^The disk of DATA_DIR has \d MiB left: writes are about to fail\.$/)
  disk.makeReadOnly()
  assert.match((await findings(line.here, '--data-dir', disk.folder)).textOf('folders', 'wrong'), /may not be written/)
})
