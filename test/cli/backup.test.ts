import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { globSync } from 'node:fs'
import { lchown, lstat, mkdir, readFile, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { lockDataDir } from '../../src/app/data-dir.ts'
import { lockBackups } from '../../src/features/backup/index.ts'
import { lockPublishing } from '../../src/platform/files/index.ts'
import { openDownloadCounter, openStore } from '../../src/platform/store/index.ts'
import { type CommandLine, commandLine } from '../kit/command-line.ts'
import { mountSmallDisk } from '../kit/disk.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { createTestLog } from '../kit/log.ts'
import { needsRedis, startRedis } from '../kit/redis.ts'
import { news, record, releasesYaml, writeFiles } from '../kit/releases.ts'
import { startTestService, type TestService } from '../kit/service.ts'
import { PATIENT } from '../kit/store.ts'
import { openSyncedNode } from '../kit/sync.ts'
import { until } from '../kit/until.ts'

const RELEASES = 'app/releases.yaml'
const writeReleases = ({ contentDir }: CommandLine, ...versions: string[]) =>
  writeFiles(contentDir, {
    [RELEASES]: releasesYaml({ launcher: versions.map((version) => record(version)) }),
  })

async function addDownloads({ dataDir, env }: CommandLine, number: number, count: number) {
  const store = await openStore(env.STORE_URL ?? '', { dataDir, log: createTestLog(), ...PATIENT })
  await until(async () => (await store.health()).ok)
  const row = { application: 'launcher', version: '1.0.0', day: '2026-11-17', count }
  await store.downloads.add({ writer: 'a', number, rows: [row] })
  await store.close()
}

/** Without the writers of counts: a copy between stores is one, too. */
const readRecords = async ({ json }: CommandLine) => {
  const { writers: _, ...records } = (await json('store', 'status')).records
  return records
}

const readState = async (cli: CommandLine) => ({
  records: await readRecords(cli),
  bans: (await cli.json('ban', 'list')).bans,
  releases: (await cli.json('release', 'list')).releases,
})

async function fill(t: TestContext, settings: Record<string, string> = {}) {
  const cli = await commandLine(t, settings)
  await writeReleases(cli, '1.0.0', '1.1.0')
  await cli.json('ban', 'add', '192.0.2.7')
  await addDownloads(cli, 1, 42)
  return cli
}

/** Makes a backup, changes everything, restores the backup, and compares. */
async function backUpAndRestore(cli: CommandLine) {
  const before = await readState(cli)
  const { backup } = await cli.json('backup', 'now')
  await cli.json('ban', 'add', '192.0.2.8')
  await cli.json('ban', 'lift', '192.0.2.7')
  await addDownloads(cli, 2, 1000)
  await writeReleases(cli, '2.0.0')
  await writeFiles(cli.contentDir, { 'kaomoji/new.txt': 'new\n' })
  assert.notDeepEqual(await readState(cli), before)
  const { kept } = await cli.json('backup', 'restore', backup.name)
  assert.deepEqual(await readState(cli), before)
  await assert.rejects(stat(join(cli.contentDir, 'kaomoji/new.txt')))
  assert.match(await readFile(join(kept, 'content', RELEASES), 'utf8'), /2\.0\.0/)
  const replaced = await cli.json('store', 'status', '--store-url', `sqlite:${join(kept, 'store.sqlite')}`)
  assert.equal(replaced.records.downloadTotal, 1042)
}

test('a restored backup has the same counts, releases and bans, and what it replaced is kept', async (t) =>
  backUpAndRestore(await fill(t)))

test('a backup of Redis is restored', needsRedis, async (t) =>
  backUpAndRestore(await fill(t, { STORE_URL: (await startRedis(t)).url })),
)

test('links in the content folder do not prevent a backup or a restore', async (t) => {
  const cli = await fill(t)
  const elsewhere = await temporaryFolder(t)
  await rename(join(cli.contentDir, 'app'), join(elsewhere, 'app'))
  await symlink(join(elsewhere, 'app'), join(cli.contentDir, 'app'))
  await symlink('/nowhere', join(cli.contentDir, 'nowhere.txt'))
  for (const name of ['a', 'b']) await symlink('.', join(cli.contentDir, name))
  await backUpAndRestore(cli)
  assert.match(await readFile(join(elsewhere, RELEASES), 'utf8'), /1\.1\.0/)
})

test('a data folder below the content folder is neither backed up nor restored as content', async (t) => {
  const contentDir = await temporaryFolder(t)
  const cli = await fill(t, { CONTENT_DIR: contentDir, DATA_DIR: join(contentDir, 'data') })
  await backUpAndRestore({ ...cli, contentDir, dataDir: join(contentDir, 'data') })
  const [first = ''] = globSync(`${contentDir}/data/backups/*`)
  assert.deepEqual(globSync(`${first}/content/data`), [])
})

test('restored content is served, also if it has much less than what it replaced', async (t) => {
  const cli = await fill(t)
  const settings = { DATA_DIR: cli.dataDir, CONTENT_DIR: cli.contentDir }
  const readUpdates = async ({ fetchJson }: TestService) =>
    JSON.stringify((await fetchJson('/api/v5/app/launcher/updates')).body)
  const { backup } = await cli.json('backup', 'now')
  await writeReleases(cli, ...Array.from({ length: 12 }, (_, index) => `2.${index}.0`))
  const before = await startTestService(t, settings)
  assert.match(await readUpdates(before), /2\.11\.0/)
  await before.service.stop()
  const { stdout } = await cli.run('backup', 'restore', backup.name)
  assert.match(stdout, /revoked since then work again/)
  const after = await startTestService(t, settings)
  assert.match(await readUpdates(after), /1\.1\.0/)
  assert.doesNotMatch(JSON.stringify((await after.fetchJson('/readyz')).body), /shrunk/)
})

test('counts that a restore of SQLite removes are not reported as lost', async (t) => {
  const cli = await fill(t)
  const { backup } = await cli.json('backup', 'now')
  const open = async () => {
    const store = await openStore('', { dataDir: cli.dataDir, log: createTestLog(), ...PATIENT })
    const options = { folder: join(cli.dataDir, 'counts'), log: createTestLog(), checkIntervalMs: 20 }
    const counter = await openDownloadCounter(store.downloads, options)
    return { store, counter }
  }
  const before = await open()
  await before.counter.count('launcher', '1.0.0')
  for (const part of [before.counter, before.store]) await part.close()
  await cli.json('backup', 'restore', backup.name)
  const after = await open()
  await until(async () => (await after.store.health()).ok)
  for (const part of [after.counter, after.store]) await part.close()
  assert.equal(after.counter.status().damage, undefined)
})

test('what root backs up or restores belongs to the user of the service', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('only root can give files to another user')
  const user = 65_534
  const cli = await fill(t)
  await writeFiles(cli.contentDir, { 'kaomoji/own.txt': 'own\n' })
  const list = () => [cli.dataDir, cli.contentDir].flatMap((dir) => [dir, ...globSync(`${dir}/**`)])
  for (const path of list()) await lchown(path, user, user)
  const { backup } = await cli.json('backup', 'now')
  await rm(join(cli.contentDir, 'kaomoji'), { recursive: true })
  await cli.json('backup', 'restore', backup.name)
  const all = list()
  assert.ok(all.includes(join(cli.contentDir, 'kaomoji/own.txt')))
  assert.ok(all.includes(join(cli.dataDir, 'backups', backup.name, 'content/kaomoji/own.txt')))
  for (const path of all) assert.equal((await lstat(path)).uid, user, path)
})

test('a database that is damaged can be replaced by a backup', async (t) => {
  const cli = await fill(t)
  const before = await readState(cli)
  const { backup } = await cli.json('backup', 'now')
  await writeFile(join(cli.dataDir, 'menagerie.sqlite'), 'damaged'.repeat(10_000))
  await cli.json('backup', 'restore', backup.name)
  assert.deepEqual(await readState(cli), before)
})

test('a restore that fails leaves the store as it was', async (t) => {
  const cli = await fill(t)
  const { backup } = await cli.json('backup', 'now')
  await addDownloads(cli, 2, 1000)
  // A file that cannot be copied.
  const obstacle = join(cli.dataDir, 'menagerie.sqlite-shm')
  await mkdir(obstacle)
  await cli.fail('backup', 'restore', backup.name)
  await rm(obstacle, { recursive: true })
  assert.equal((await readRecords(cli)).downloadTotal, 1042)
})

test('a restore that was interrupted is reported until it is repeated', async (t) => {
  const cli = await fill(t)
  const { backup } = await cli.json('backup', 'now')
  const readProblems = async (): Promise<{ part: string; message: string }[]> => {
    const { service, fetchJson } = await startTestService(t, { DATA_DIR: cli.dataDir, CONTENT_DIR: cli.contentDir })
    const { body } = await fetchJson('/readyz')
    await service.stop()
    return body.problems.filter(({ part }: { part: string }) => part === 'backup')
  }
  // A folder cannot be replaced by a file.
  const obstacle = join(cli.contentDir, RELEASES)
  await rm(obstacle)
  await mkdir(obstacle)
  await cli.fail('backup', 'restore', backup.name)
  const [problem, ...others] = await readProblems()
  assert.match(
    problem?.message ?? '',
    new RegExp(`the backup ${backup.name} was interrupted: .*"backup restore ${backup.name}"`),
  )
  assert.deepEqual(others, [])
  await rm(obstacle, { recursive: true })
  // A file that cannot be copied: this one fails before it reaches the content.
  const journal = join(cli.dataDir, 'menagerie.sqlite-shm')
  await rm(journal, { force: true })
  await mkdir(journal)
  await cli.fail('backup', 'restore', backup.name)
  await rm(journal, { recursive: true })
  assert.deepEqual(await readProblems(), [problem])
  await cli.json('backup', 'restore', backup.name)
  assert.deepEqual(await readProblems(), [])
  // Instead of a file that only root can read.
  const restoring = join(cli.dataDir, 'restoring')
  await mkdir(restoring)
  assert.match((await readProblems())[0]?.message ?? '', /the backup <name> was interrupted/)
  await rm(restoring, { recursive: true })
  spawnSync('mkfifo', [restoring])
  assert.match((await readProblems())[0]?.message ?? '', /the backup <name> was interrupted/)
})

test('a restore for which the disk has no space replaces nothing', async (t) => {
  const disk = await mountSmallDisk(t, 4 * 2 ** 20)
  if (!disk) return
  const cli = await fill(t, { DATA_DIR: join(disk.folder, 'data'), BACKUP_DIR: await temporaryFolder(t) })
  const { backup } = await cli.json('backup', 'now')
  await addDownloads(cli, 2, 1000)
  await writeFiles(cli.contentDir, { 'large.bin': 'x'.repeat(5 * 2 ** 20) })
  assert.match(await cli.fail('backup', 'restore', backup.name), /^Not restored: .*no space left/)
  assert.deepEqual(globSync('replaced-*', { cwd: cli.dataDir }), [])
  assert.equal((await readRecords(cli)).downloadTotal, 1042)
})

test('a backup of a newer version, or one whose manifest leaves the content folder, is not restored', async (t) => {
  const cli = await fill(t)
  const { backup } = await cli.json('backup', 'now')
  await addDownloads(cli, 2, 1000)
  const folder = join(cli.dataDir, 'backups', backup.name)
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'))
  const [, ...content] = manifest.files
  const change = (files: unknown) => writeFile(join(folder, 'manifest.json'), JSON.stringify({ files }))

  const database = new DatabaseSync(join(folder, 'store.sqlite'))
  database.exec('PRAGMA user_version = 999')
  database.close()
  const bytes = await readFile(join(folder, 'store.sqlite'))
  const newer = { ...manifest.files[0], bytes: bytes.length, sha256: hash('sha256', bytes) }
  await change([newer, ...content])
  assert.match(await cli.fail('backup', 'restore', backup.name), /^Not restored: a newer version/)

  await writeFile(join(cli.dataDir, 'backups', 'outside.txt'), '')
  const outside = { ...newer, path: 'content/../../outside.txt', bytes: 0, sha256: hash('sha256', '') }
  for (const files of [[manifest.files[0], outside], undefined, [{}]]) {
    await change(files)
    assert.match(await cli.fail('backup', 'restore', backup.name), /^There is no complete backup/)
    assert.deepEqual((await cli.json('backup', 'list')).backups, [])
  }
  assert.equal((await readRecords(cli)).downloadTotal, 1042)
})

test('with several nodes, restored content becomes that of all nodes', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const one = await openSyncedNode(t, redis.url, {
    'app/news/first.md': news('First'),
    'string/8ball.txt': 'yes\nno\n',
  })
  const two = await openSyncedNode(t, redis.url)
  const updateBoth = async () => {
    for (const { sync } of [one, two, one]) await sync.update({ isNode: true })
    return one.sync.sequence() !== undefined && one.sync.sequence() === two.sync.sequence()
  }
  await until(updateBoth)
  const cli = await commandLine(t, { STORE_URL: redis.url, DATA_DIR: one.dataDir, CONTENT_DIR: one.contentDir })
  const before = await one.tree()
  const { backup } = await cli.json('backup', 'now')
  for (const id of ['first', 'second'])
    await one.publisher.apply('news put', { id, title: 'New', markdown: 'New' }, { by: 'a test' })
  await until(updateBoth)
  const refused = await cli.run('backup', 'restore', backup.name)
  assert.match(refused.stderr, /Not restored: 2 nodes of this Redis run/)
  await redis.command('DEL {menagerie}:content:nodes')
  await cli.json('backup', 'restore', backup.name)
  // The other node starts first.
  for (const node of [two, one]) await node.reopen()
  await until(updateBoth)
  await one.sync.checkFolder()
  assert.deepEqual(await one.tree(), before)
  assert.deepEqual(await one.sync.differences(), { edited: [], attached: [], missing: [] })
  // A file that only one node has is reported.
  const { 'app/news/second.md': second, ...others } = await two.tree()
  assert.deepEqual(others, before)
  assert.ok(second)
  assert.deepEqual((await two.sync.differences()).edited, ['app/news/second.md'])
})

test('backups, a restored store and the one that it replaced are readable by their owner only', async (t) => {
  const cli = await fill(t)
  const { backup } = await cli.json('backup', 'now')
  const { kept } = await cli.json('backup', 'restore', backup.name)
  const folder = join(cli.dataDir, 'backups', backup.name)
  const database = join(cli.dataDir, 'menagerie.sqlite')
  for (const path of [folder, join(folder, 'store.sqlite'), database, join(kept, 'store.sqlite')])
    assert.equal((await stat(path)).mode & 0o077, 0, path)
})

test('a backup cannot be removed by another one while it is restored', async (t) => {
  const cli = await fill(t)
  const { backup } = await cli.json('backup', 'now')
  // As during "backup now", which removes old backups.
  using running = await lockBackups(join(cli.dataDir, 'backups'))
  assert.match(await cli.fail('backup', 'restore', backup.name), /another backup or restore is running/)
  running.dispose()
  await cli.json('backup', 'restore', backup.name)
})

test('a backup that was cut off is not offered, and a changed one is neither good nor restored', async (t) => {
  const cli = await fill(t)
  const { backup } = await cli.json('backup', 'now')
  const folder = join(cli.dataDir, 'backups', backup.name)
  assert.equal((await cli.run('backup', 'check')).code, 0)
  await truncate(join(folder, 'content', RELEASES), 10)
  const { code, stdout } = await cli.run('backup', 'check')
  assert.equal(code, 1)
  assert.match(stdout, /content\/app\/releases\.yaml was changed/)
  assert.match(
    await cli.fail('backup', 'restore', backup.name),
    /Not restored: content\/app\/releases\.yaml was changed/,
  )
  await rm(join(folder, 'manifest.json'))
  assert.match((await cli.run('backup', 'check')).stdout, /manifest\.json is missing or damaged/)
  assert.deepEqual((await cli.json('backup', 'list')).backups, [])
  assert.match(await cli.fail('backup', 'restore', backup.name), /There is no complete backup/)
})

test('a restore into a data folder that cannot be written says so, and not that a service uses it', async (t) => {
  const disk = await mountSmallDisk(t, 4 * 2 ** 20)
  if (!disk) return
  const cli = await fill(t, { DATA_DIR: join(disk.folder, 'data'), BACKUP_DIR: await temporaryFolder(t) })
  await writeFile(join(cli.dataDir, 'service.lock'), '')
  const { backup } = await cli.json('backup', 'now')
  disk.makeReadOnly()
  assert.match(await cli.fail('backup', 'restore', backup.name), /^EROFS: .*service\.lock/)
})

test('no service can start during a restore, and nothing can be published', async (t) => {
  const cli = await fill(t)
  const { backup } = await cli.json('backup', 'now')
  await writeFiles(cli.contentDir, Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`kaomoji/${n}.txt`, 'a'])))
  const restored = cli.json('backup', 'restore', backup.name)
  await until(() => globSync(join(cli.dataDir, 'replaced-*')).length > 0)
  await assert.rejects(lockDataDir(cli.dataDir), /Another service uses DATA_DIR/)
  for (const folder of [cli.contentDir, join(cli.contentDir, 'app')])
    assert.equal(await lockPublishing(folder), undefined)
  await restored
  using _lock = await lockPublishing(join(cli.contentDir, 'app'))
  assert.match(await cli.fail('backup', 'restore', backup.name), /another process is publishing/)
})

test('a backup can be made but not restored while the service runs', async (t) => {
  const cli = await fill(t)
  await startTestService(t, { DATA_DIR: cli.dataDir, CONTENT_DIR: cli.contentDir })
  const { backup } = await cli.json('backup', 'now')
  assert.match(await cli.fail('backup', 'restore', backup.name), /Another service uses DATA_DIR/)
})
