import assert from 'node:assert/strict'
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { copyStore, openDownloadCounter, openStore, type Store } from '../../src/platform/store/index.ts'
import { commandLine } from '../kit/command-line.ts'
import { createTestLog } from '../kit/log.ts'
import { needsRedis, startRedis } from '../kit/redis.ts'
import { forSuite } from '../kit/scope.ts'
import { PATIENT } from '../kit/store.ts'
import { until } from '../kit/until.ts'

const withStore = async <T>(url: string, dataDir: string, work: (store: Store) => Promise<T>): Promise<T> => {
  const store = await openStore(url, { dataDir, log: createTestLog(), ...PATIENT })
  try {
    await until(async () => (await store.health()).ok, 20_000)
    return await work(store)
  } finally {
    await store.close()
  }
}

const fill = ({ downloads, strikes, bans }: Store) =>
  Promise.all([
    downloads.add({
      writer: 'w',
      number: 3,
      rows: [
        { application: 'launcher', version: '1.0.0', day: '2026-01-01', count: 5 },
        { application: 'reshade', version: '2.0.0', day: '2026-01-02', count: 2 },
      ],
    }),
    strikes.add('192.0.2.1', 3, Date.now() + 3_600_000),
    bans.put([{ address: '192.0.2.2', reason: 'r', by: 'b', at: Date.now(), until: Date.now() + 3_600_000 }]),
  ])

const readAll = async ({ downloads, clients, tokens, bans, strikes }: Store) => ({
  rows: await downloads.rows(),
  lists: [await clients.list(), await tokens.list(), await bans.list(), await strikes.list()],
  last: (await downloads.writers()).find(({ writer }) => writer === 'w'),
})

describe('"store copy"', () => {
  const cli = forSuite(commandLine)

  test('copies all records from SQLite to Redis and back', needsRedis, async (t) => {
    const { json, run, dataDir, file, fail } = cli()
    const redis = await startRedis(t)
    await withStore('', dataDir, fill)
    await json('token', 'create', 'dashboard')
    const { records } = await json('store', 'copy', 'current', redis.url)
    assert.deepEqual(records, {
      downloadRows: 2,
      downloadTotal: 7,
      adoptionDays: 0,
      usageDays: 0,
      usageRows: 0,
      writers: 1,
      clients: 0,
      tokens: 1,
      bans: 1,
      strikes: 1,
    })
    const { stdout } = await run('store', 'status', '--store-url', redis.url)
    assert.match(stdout, /^store\tredis\nstate\tworking\nlatency\t.* ms\ndownloads\t7 \(2 records\)\n/)
    const back = `sqlite:${file('back/again.sqlite')}`
    await json('store', 'copy', redis.url, back)
    assert.deepEqual(await withStore(back, dataDir, readAll), await withStore('', dataDir, readAll))
    const full = await fail('store', 'copy', 'current', redis.url)
    assert.equal(
      full,
      'Not copied: the target already holds 7 downloads, 1 token, 1 ban, 1 strike; copy with --force to empty it first.',
    )
    await json('store', 'copy', 'current', redis.url, '--force')
  })

  test('creates backups and their folders readable by the owner only', async () => {
    const { json, program, folder } = cli()
    await json('token', 'create', 'for a backup')
    await program.json('store', 'copy', 'current', 'sqlite:deep/backup/today.sqlite')
    const modes = ['deep', 'deep/backup', 'deep/backup/today.sqlite', 'data/menagerie.sqlite'].map(
      async (path) => (await stat(join(folder, path))).mode & 0o777,
    )
    assert.deepEqual(await Promise.all(modes), [0o700, 0o700, 0o600, 0o600])
    using _open = new DatabaseSync(join(folder, 'deep/backup/today.sqlite'))
    _open.exec('SELECT * FROM tokens')
    assert.equal((await stat(join(folder, 'deep/backup/today.sqlite-wal'))).mode & 0o777, 0o600)
  })

  test('refuses a target that another process uses', async () => {
    const { json, fail, dataDir, file } = cli()
    const backup = `sqlite:${file('kept.sqlite')}`
    await json('token', 'create', 'kept')
    await json('store', 'copy', 'current', backup)
    const restore = ['store', 'copy', backup, 'current', '--force']
    await withStore('', dataDir, async () => {
      assert.match(
        await fail(...restore),
        /^Not copied: another process uses \S+menagerie\.sqlite\. Stop the service first\.$/,
      )
    })
    assert.ok((await json(...restore)).records.tokens > 0)
  })

  test('refuses a copy that would lose records', async () => {
    const { fail, dataDir, folder, file, json } = cli()
    const typo = file('typo.sqlite')
    await json('token', 'create', 'precious')
    const [same, missing, wrong, unavailable, empty] = await Promise.all([
      fail('store', 'copy', 'current', `sqlite:${join(dataDir, 'menagerie.sqlite')}`, '--force'),
      fail('store', 'copy', `sqlite:${typo}`, 'current', '--force'),
      fail('store', 'copy', 'current', 'mysql://example.org'),
      fail('store', 'copy', 'redis://user:secret@127.0.0.1:1', 'current', '--force'),
      fail('store', 'copy', 'current', `sqlite:${typo}`, '--data-dir', join(folder, 'other')),
    ])
    assert.equal(same, 'Not copied: both are the same store.')
    assert.equal(missing, `The source ${typo} does not exist.`)
    assert.match(wrong, /^<to> must be sqlite:<file>, a Redis URL .*, or "current"\.$/)
    assert.equal(empty, 'The source is empty. Is it the right store?')
    assert.equal(unavailable, 'The source cannot be used: Redis refuses the connection.')
    assert.ok((await json('store', 'status')).records.tokens > 0)
    assert.ok(!(await readdir(folder)).includes('typo.sqlite'))
  })

  test('refuses a source that is an unfinished copy', async () => {
    const { json, fail, file, dataDir } = cli()
    const half = `sqlite:${file('half.sqlite')}`
    await json('token', 'create', 'a half')
    await withStore('', dataDir, (from) =>
      withStore(half, '', async (to) => {
        const tokens = { ...to.tokens, put: () => Promise.reject(new Error('the process is killed')) }
        await assert.rejects(copyStore(from, { ...to, tokens }), /is killed/)
      }),
    )
    const restore = ['store', 'copy', half, 'current', '--force']
    assert.equal(await fail(...restore), 'Not copied: the source is itself an unfinished copy; repeat that copy first.')
    await json('store', 'copy', 'current', half, '--force')
    await json(...restore)
  })

  test('refuses a source that is not a database, and leaves no files beside it', async () => {
    const { fail, folder, file } = cli()
    const setup = file('setup.exe')
    await writeFile(setup, 'MZ certainly no database, but long enough to be one '.repeat(40))
    for (const source of [setup, folder]) {
      const message = await fail('store', 'copy', `sqlite:${source}`, 'current', '--force')
      assert.equal(message, `The source ${source} is not an SQLite database.`)
    }
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.startsWith('setup')),
      ['setup.exe'],
    )
  })
})

test('a store that is locked, from a newer version, damaged, or a folder is reported', async (t) => {
  const { fail, folder } = await commandLine(t)
  const files = Object.fromEntries(
    ['locked', 'newer', 'none', 'folder'].map((name) => [name, join(folder, `${name}.sqlite`)]),
  )
  await writeFile(files.none!, 'certainly no database, but long enough to be one '.repeat(40))
  await mkdir(files.folder!)
  using newer = new DatabaseSync(files.newer!)
  newer.exec('PRAGMA user_version = 99; CREATE TABLE t (x)')
  using locked = new DatabaseSync(files.locked!)
  locked.exec('BEGIN EXCLUSIVE; CREATE TABLE t (x)')
  const list = (name: string) => fail('token', 'list', '--store-url', `sqlite:${files[name]}`)
  const messages = await Promise.all(['locked', 'newer', 'none', 'folder'].map(list))
  assert.equal(messages[0], 'The store cannot be used: locked.sqlite is locked by another process.')
  assert.match(messages[1]!, /^The store cannot be used: newer\.sqlite has schema 99, but .* nothing was changed/)
  assert.match(messages[2]!, /^The store cannot be used: none\.sqlite is not a database, or is damaged/)
  assert.match(messages[3]!, /^The store cannot be used: folder\.sqlite cannot be opened/)
})

test('"store accept" confirms an empty store: counts of the deleted one are not reported as lost', async (t) => {
  const { dataDir, json } = await commandLine(t)
  /** Resolves to what is reported. */
  const count = () =>
    withStore('', dataDir, async ({ downloads }) => {
      const counter = await openDownloadCounter(downloads, { folder: join(dataDir, 'counts'), log: createTestLog() })
      await counter.count('launcher', '1.0.0')
      await counter.close()
      // The next process takes the journal only if its lock is old.
      await utimes(join(dataDir, 'counts/1.lock'), 0, 0)
      return counter.status().damage
    })
  const removeStore = async () => {
    for (const suffix of ['', '-wal', '-shm']) await rm(join(dataDir, `menagerie.sqlite${suffix}`), { force: true })
  }
  await count()
  await removeStore()
  assert.match((await count()) ?? '', /the store lost counts/)
  await removeStore()
  await json('store', 'accept')
  assert.equal(await count(), undefined)
})
