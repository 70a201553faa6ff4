import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { chmod, mkdir, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import type { CheckedFinding, Level } from '../../src/cli/doctor/index.ts'
import { checks } from '../../src/cli/doctor/index.ts'
import { type Calls, commandLine } from '../kit/command-line.ts'
import { writeSettledFiles } from '../kit/content.ts'
import { mountSmallDisk } from '../kit/disk.ts'
import { tinyPng } from '../kit/pictures.ts'
import { needsRedis, startRedis } from '../kit/redis.ts'
import { ROOT } from '../kit/root.ts'
import { startTestService } from '../kit/service.ts'

/** Any free port, because the default one may be in use on a developer's machine. */
const FREE_PORT = { PORT: '0' }
const SHA256_OF_HELLO = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'

async function runDoctor({ run }: Calls, ...args: string[]) {
  const { code, stdout, stderr } = await run('doctor', '--json', ...args)
  const report = JSON.parse(stdout) as { success: boolean; counts: Record<Level, number>; findings: CheckedFinding[] }
  assert.equal(code, report.counts.error === 0 ? 0 : 1, stderr)
  assert.equal(report.success, code === 0)
  const of = (check: string, level: Level) =>
    report.findings.filter((finding) => finding.check === check && finding.level === level)
  return {
    ...report,
    of,
    textOf: (check: string, level: Level) =>
      of(check, level)
        .map(({ text }) => text)
        .join('\n'),
  }
}

test('a valid installation has no errors, and every check is reported', async (t) => {
  const cli = await commandLine(t, { ...FREE_PORT, APP_NAME: 'launcher' })
  await writeSettledFiles(cli.contentDir, {
    'animals/cat/a.png': tinyPng(1),
    'string/8ball.txt': 'yes\nno\n',
    'blocklist.txt': 'bad.example\n',
  })
  const { counts, ...report } = await runDoctor(cli)
  assert.deepEqual(counts.error, 0, JSON.stringify(report.findings))
  assert.deepEqual(
    [...new Set(report.findings.map(({ check }) => check))],
    checks.map(({ name }) => name),
  )
  assert.match(report.textOf('content', 'ok'), /^1 picture of 1 kind and 2 items in 1 list are valid/)
  assert.match(report.textOf('blocklist', 'ok'), /^1 entry in use \(content\)/)
  const { code, stdout } = await cli.program.run('doctor', '--blocklist-url', 'https://lists.example/a.txt')
  assert.equal(code, 0)
  assert.match(stdout, /blocklist: 1 entry in use .* The list of BLOCKLIST_URL has not been downloaded yet\./)
  assert.match(stdout, /^ok {2}node +Node \d+/)
  assert.match(stdout, /\n\n0 errors, \d+ warnings?\.\n$/)
})

test('a blocklist that its source has not changed for long is not reported, but one that was not checked is', async (t) => {
  const cli = await commandLine(t, { ...FREE_PORT, BLOCKLIST_URL: 'https://lists.example/a.txt' })
  const text = 'bad.example\n'
  const check = async (checkedAt: number) => {
    const origin = { sha256: hash('sha256', text), source: 'lists.example', requested: 'https://lists.example/a.txt' }
    await writeSettledFiles(join(cli.dataDir, 'cache'), {
      'blocklist.txt': text,
      'blocklist.source.json': JSON.stringify({ ...origin, checkedAt }),
    })
    const tenDaysAgo = new Date(Date.now() - 10 * 86_400_000)
    await utimes(join(cli.dataDir, 'cache/blocklist.txt'), tenDaysAgo, tenDaysAgo)
    const { textOf } = await runDoctor(cli)
    return [textOf('blocklist', 'ok'), textOf('blocklist', 'warning')]
  }
  assert.match((await check(Date.now()))[0]!, /^1 entry in use \(lists\.example\)/)
  assert.match((await check(Date.now() - 5 * 86_400_000))[1]!, /A running service updates it every 24 hours\.$/)
})

test('misspelled, invalid and world-readable settings are reported with a fix, and the other checks still run', async (t) => {
  const cli = await commandLine(t, { FILTER_MAX_BITES: '3', FILTERED: 'not ours', GIT_DIR: '.' })
  const env = join(cli.folder, '.env')
  await writeSettledFiles(cli.contentDir, { 'blocklist.txt': '# nothing yet\n' })
  await writeFile(
    env,
    'PROT=4011\nPORT=http\nHOST: ::1\nSTORE_URL=redis://user:hunter2@127.0.0.1:1\nTRUST_PROXY=0.0.0.0/0\n',
  )
  await chmod(env, 0o644)
  const { of, textOf, ...report } = await runDoctor(cli.program)
  assert.ok(!JSON.stringify(report).includes('hunter2'))
  assert.deepEqual(
    of('settings', 'error').map(({ text, fix }) => [text, fix]),
    [
      ['.env:3 has no "=". Write HOST=value.', undefined],
      ['.env sets PROT, which is not a setting. Did you mean PORT?', 'Remove PROT from .env, or correct its name'],
      ['PORT must be a whole number from 0 to 65535, not "http".', 'PORT=4010'],
    ],
  )
  assert.deepEqual(
    of('settings', 'warning').map(({ text, fix }) => [text, fix]),
    [['The environment variable FILTER_MAX_BITES is not a setting and has no effect.', 'Use FILTER_MAX_BYTES instead']],
  )
  assert.match(textOf('blocklist', 'warning'), /^0 entries in use .* Images are fetched from all public hosts\.$/)
  assert.deepEqual(of('secrets', 'error')[0]?.fix, 'chmod 600 .env')
  assert.equal(textOf('store', 'error'), 'The store cannot be used: Redis refuses the connection.')
  assert.match(textOf('network', 'error'), /^TRUST_PROXY trusts every address/)
  await chmod(env, 0o600)
  const { stdout } = await cli.program.run('doctor', '--store-url', '')
  assert.doesNotMatch(stdout, /can read STORE_URL/)
  assert.match(
    stdout,
    /\nErrors\n 1\. settings: \.env:3 has no "="[^\n]*\n 2\. settings: \.env sets PROT[^\n]*\n {6}Fix: Remove PROT/,
  )
  assert.match(stdout, /\n\d errors, \d+ warnings?\.\n$/)
})

test('problems of content and releases are reported by file, line and rule; changed files are found by checksum', async (t) => {
  const cli = await commandLine(t, FREE_PORT)
  const release = (version: string, file: string) =>
    `  - { version: ${version}, date: 2026-01-01, file: ${file}, bytes: 5, sha256: ${SHA256_OF_HELLO} }\n`
  await writeSettledFiles(cli.contentDir, {
    'animals/cat/b.png': 'not a picture',
    'app/releases.yaml': `launcher:\n${release('1.0.0', 'good.exe')}${release('1.1.0', 'gone.exe')}${release('1.2.0', 'bad.exe')}${release('1.2.0.1', 'four.exe')}`,
    'app/files/good.exe': 'hello',
    'app/files/four.exe': 'hello',
    'app/files/bad.exe': 'hallo',
    'app/tiers.yaml': '2:\n  resources: 7\n',
  })
  await mkdir(join(cli.contentDir, 'blocklist.txt'))
  const { of } = await runDoctor(cli)
  assert.deepEqual(
    of('content', 'error').map(({ file, rule }) => [file, rule]),
    [['animals/cat/b.png', 'type']],
  )
  const locations = of('releases', 'error').map(({ file, line, rule }) => `${file}:${line} ${rule}`)
  assert.equal(locations.length, 3)
  assert.ok(
    locations.includes('app/files/gone.exe:1 file-gone') && locations.includes('app/files/bad.exe:1 digest'),
    locations.join(),
  )
  const [skipped] = of('releases', 'ok')
  assert.match(
    skipped?.text ?? '',
    /^electron-updater, Tauri and Velopack skip 1 version of the launcher \(1\.2\.0\.1\)/,
  )
  assert.match(locations.find((location) => location.startsWith('app/tiers.yaml')) ?? '', /:2 /)
  assert.match(of('blocklist', 'error')[0]?.text ?? '', /^The blocklist cannot be read: it is not a file\.$/)
})

test('a withdrawn newest version is a warning with the command that supersedes it', async (t) => {
  const cli = await commandLine(t, FREE_PORT)
  const release = (version: string, withdrawn: boolean) =>
    `  - { version: ${version}, date: 2026-01-01, url: https://cdn.example/a.exe, bytes: 5, sha256: ${SHA256_OF_HELLO}, withdrawn: ${withdrawn} }\n`
  await writeSettledFiles(cli.contentDir, {
    'app/releases.yaml': `launcher:\n${release('1.0.0', false)}${release('1.1.0', true)}reshade:\n${release('1.0.0', true)}${release('1.1.0', false)}`,
  })
  const [finding, ...more] = (await runDoctor(cli)).of('releases', 'warning')
  assert.deepEqual(more, [])
  assert.match(
    finding?.text ?? '',
    /^launcher 1\.1\.0 is withdrawn, .* compares versions as text .* goes back to 1\.0\.0\.$/,
  )
  assert.match(finding?.fix ?? '', /release supersede launcher 1\.1\.0 <new version>$/)
})

test('example releases that are offered to clients are a warning', async (t) => {
  const cli = await commandLine(t, { ...FREE_PORT, CONTENT_DIR: join(ROOT, 'content') })
  const [finding] = (await runDoctor(cli)).of('releases', 'warning')
  const examples = 'launcher 1.1.0-beta.1, launcher 1.0.0, reshade 5.9.2, fpsUnlocker 2.0.1'
  assert.equal(finding?.text, `Example releases are offered to clients: ${examples}.`)
  assert.match(finding?.fix ?? '', /^Remove them from .*releases\.yaml, or publish your own: .* release publish$/)
})

describe('the port check', () => {
  test('says that a proxy forwards requests but TRUST_PROXY does not name it', async (t) => {
    const cli = await commandLine(t)
    const { url } = await startTestService(t, { CONTENT_DIR: cli.contentDir })
    await fetch(`${url}/api/v5/app/operator/overview`, { headers: { 'x-forwarded-for': '203.0.113.7' } })
    const { textOf } = await runDoctor(cli, '--port', new URL(url).port)
    assert.match(textOf('port', 'warning'), /\(network: a proxy on this machine .*; set TRUST_PROXY=loopback/)
  })

  test('distinguishes another program from a running service, and shows the version and state of the service', async (t) => {
    const cli = await commandLine(t)
    const other = createServer((_, reply) => void reply.end('hello')).listen(0, '127.0.0.1')
    t.after(() => void other.close())
    const service = await startTestService(t)
    const { port } = other.address() as AddressInfo
    const taken = await runDoctor(cli, '--port', String(port))
    assert.equal(taken.textOf('port', 'error'), `Another program uses port ${port}.`)
    assert.match(taken.of('port', 'error')[0]?.fix ?? '', new RegExp(`^PORT=${port + 1}`))
    const own = await runDoctor(cli, '--port', new URL(service.url).port)
    assert.match(own.textOf('port', 'ok'), /^Menagerie \d+\.\d+\.\d+ runs on .* and is ready\.$/)
    assert.match(
      (await runDoctor(cli, '--host', '192.0.2.1', '--port', '4999')).textOf('port', 'error'),
      /is not an address of this machine/,
    )
  })

  test('shows the problems of a degraded service', async (t) => {
    const cli = await commandLine(t)
    await writeSettledFiles(cli.contentDir, { 'animals/cat/b.png': 'not a picture' })
    const service = await startTestService(t, { CONTENT_DIR: cli.contentDir })
    const { textOf } = await runDoctor(cli, '--port', new URL(service.url).port)
    assert.match(textOf('port', 'warning'), /but has problems \(content: /)
  })
})

describe('the store check', () => {
  test('recognises a missing, valid, newer and damaged SQLite file without changing it', async (t) => {
    const cli = await commandLine(t, FREE_PORT)
    assert.match((await runDoctor(cli)).textOf('store', 'ok'), /created at the first start/)
    await cli.json('token', 'create', 'dashboard')
    const valid = await runDoctor(cli)
    assert.match(
      valid.textOf('store', 'ok'),
      /^SQLite 3\.\S+, schema 3\. SQLite's quick check .*\n1 valid operator token\.$/,
    )
    const { id } = (await cli.json('token', 'list')).tokens[0]
    await cli.json('token', 'revoke', id)
    const none = await runDoctor(cli)
    assert.match(none.of('store', 'warning')[0]?.fix ?? '', /menagerie.* token create dashboard --expires 90d$/)
    const newer = join(cli.folder, 'newer.sqlite')
    using db = new DatabaseSync(newer)
    db.exec('PRAGMA user_version = 99; CREATE TABLE t (x)')
    assert.match(
      (await runDoctor(cli, '--store-url', `sqlite:${newer}`)).textOf('store', 'error'),
      /newer version of the service/,
    )
    const broken = join(cli.folder, 'broken.sqlite')
    await writeFile(broken, 'certainly no database, but long enough to be one '.repeat(40))
    assert.match(
      (await runDoctor(cli, '--store-url', `sqlite:${broken}`)).textOf('store', 'error'),
      /not a database, or is damaged/,
    )
  })

  test('shows the version of Redis, and warns if it would lose records', needsRedis, async (t) => {
    const cli = await commandLine(t, FREE_PORT)
    const redis = await startRedis(t, '--maxmemory', '64mb', '--maxmemory-policy', 'allkeys-lru')
    const losing = await runDoctor(cli, '--store-url', redis.url)
    assert.match(losing.textOf('store', 'ok'), /^Redis \d+\.\S+ replies in \d/)
    assert.match(
      losing.textOf('store', 'error'),
      /when its memory is full \(allkeys-lru\)[\s\S]*stores nothing on disk/,
    )
    await redis.command('CONFIG SET maxmemory-policy noeviction')
    await redis.command('CONFIG SET save "3600 1"')
    assert.deepEqual((await runDoctor(cli, '--store-url', redis.url)).of('store', 'error'), [])
  })
})

test('a read-only replica and a full Redis are errors', needsRedis, async (t) => {
  const cli = await commandLine(t, FREE_PORT)
  const [master, replica] = await Promise.all([startRedis(t), startRedis(t)])
  await replica.command(`REPLICAOF 127.0.0.1 ${master.port}`)
  const replicating = await runDoctor(cli, '--store-url', replica.url)
  const [finding] = replicating.of('store', 'error')
  assert.match(finding?.text ?? '', new RegExp(`^Redis is a read-only replica of 127\\.0\\.0\\.1:${master.port}\\.`))
  assert.equal(finding?.fix, `Set STORE_URL to the master, 127.0.0.1:${master.port}`)
  await master.command('CONFIG SET maxmemory 1')
  const full = await runDoctor(cli, '--store-url', master.url)
  assert.match(full.textOf('store', 'error'), /^Redis is out of memory \(\d+ of 1 bytes\) and rejects writes\.$/m)
})

test('missing folders, files in their place, and full or read-only disks are reported', async (t) => {
  const cli = await commandLine(t, FREE_PORT)
  const file = join(cli.folder, 'file')
  await writeFile(file, '')
  const { of } = await runDoctor(cli, '--content-dir', join(cli.folder, 'none'), '--data-dir', join(file, 'data'))
  assert.match(of('folders', 'error')[0]?.fix ?? '', / init <folder>$/)
  assert.match(of('folders', 'error')[1]?.text ?? '', /^DATA_DIR .* cannot be created/)
  const disk = await mountSmallDisk(t, 8 * 2 ** 20)
  if (!disk) return
  const full = await runDoctor(cli, '--data-dir', disk.folder)
  assert.match(full.textOf('disk', 'error'), /^The disk of DATA_DIR has \d MiB left\. Writes will soon fail\.$/)
  disk.makeReadOnly()
  assert.match((await runDoctor(cli, '--data-dir', disk.folder)).textOf('folders', 'error'), /cannot write to DATA_DIR/)
})
