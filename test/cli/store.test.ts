import assert from 'node:assert/strict'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { copyStore, openStore, type Store } from '../../src/platform/store/index.ts'
import { commandLine } from '../kit/command-line.ts'
import { rememberingLog } from '../kit/log.ts'
import { needsRedis, startRedis } from '../kit/redis.ts'
import { forSuite } from '../kit/scope.ts'
import { until } from '../kit/until.ts'

const opened = async <T>(url: string, dataDir: string, work: (store: Store) => Promise<T>): Promise<T> => {
  const store = openStore(url, { dataDir, log: rememberingLog() })
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

const everything = async ({ downloads, clients, tokens, bans, strikes }: Store) => ({
  rows: await downloads.rows(),
  lists: [await clients.list(), await tokens.list(), await bans.list(), await strikes.list()],
  last: await downloads.lastNumber('w'),
})

describe('the store', () => {
  const line = forSuite(commandLine)

  test('from SQLite to Redis and back it holds the same', needsRedis, async (t) => {
    const { json, run, dataDir, folder, refusal } = line()
    const redis = await startRedis(t)
    await opened('', dataDir, fill)
    await json('token', 'create', 'dashboard')
    const { holdings } = await json('store', 'copy', 'current', redis.url)
    assert.deepEqual(holdings, { downloads: 2, counted: 7, writers: 1, clients: 0, tokens: 1, bans: 1, strikes: 1 })
    const { stdout } = await run('store', 'status', '--store-url', redis.url)
    assert.match(stdout, /^store +redis\nstate +working\nanswer +.* ms\ndownloads +7 counted, in 2 rows\n/)
    await json('store', 'copy', redis.url, 'sqlite:back/again.sqlite')
    assert.deepEqual(
      await opened(`sqlite:${join(folder, 'back/again.sqlite')}`, dataDir, everything),
      await opened('', dataDir, everything),
    )
    const full = await refusal('store', 'copy', 'current', redis.url)
    assert.equal(
      full,
      'Not copied: the target already holds 2 downloads, 1 token, 1 ban, 1 strike; copy with --force to empty it first.',
    )
    await json('store', 'copy', 'current', redis.url, '--force')
  })

  test('a backup, and the folders that are made for it, are for the eyes of their owner', async () => {
    const { json, folder } = line()
    await json('token', 'create', 'for a backup')
    await json('store', 'copy', 'current', 'sqlite:deep/backup/today.sqlite')
    const modes = ['deep', 'deep/backup', 'deep/backup/today.sqlite', 'data/menagerie.sqlite'].map(
      async (path) => (await stat(join(folder, path))).mode & 0o777,
    )
    assert.deepEqual(await Promise.all(modes), [0o700, 0o700, 0o600, 0o600])
    using _open = new DatabaseSync(join(folder, 'deep/backup/today.sqlite'))
    _open.exec('SELECT * FROM tokens')
    assert.equal((await stat(join(folder, 'deep/backup/today.sqlite-wal'))).mode & 0o777, 0o600)
  })

  test('a store that somebody has open is not restored into', async () => {
    const { json, here, dataDir, folder } = line()
    const backup = `sqlite:${join(folder, 'kept.sqlite')}`
    await json('token', 'create', 'kept')
    await json('store', 'copy', 'current', backup)
    const restore = ['store', 'copy', backup, 'current', '--force']
    await opened('', dataDir, async () => {
      assert.match(
        await here.refusal(...restore),
        /^Not copied: another process has \S+menagerie\.sqlite open; stop the service first\.$/,
      )
    })
    assert.ok((await here.json(...restore)).holdings.tokens > 0)
  })

  test('a copy that would lose something is refused', async () => {
    const { refusal, here, dataDir, folder, json } = line()
    const typo = join(folder, 'typo.sqlite')
    await json('token', 'create', 'precious')
    const [same, missing, wrong, away, empty] = await Promise.all([
      refusal('store', 'copy', 'current', `sqlite:${join(dataDir, 'menagerie.sqlite')}`, '--force'),
      here.refusal('store', 'copy', `sqlite:${typo}`, 'current', '--force'),
      here.refusal('store', 'copy', 'current', 'mysql://example.org'),
      here.refusal('store', 'copy', 'redis://user:secret@127.0.0.1:1', 'current', '--force'),
      here.refusal('store', 'copy', 'current', `sqlite:${typo}`, '--data-dir', join(folder, 'other')),
    ])
    assert.equal(same, 'Not copied: both are the same store.')
    assert.equal(missing, `There is no file ${typo} to copy from.`)
    assert.match(wrong, /^<to> must be sqlite:<file>, a URL of Redis .*, or the word current\.$/)
    assert.equal(empty, 'The source holds nothing; is it the right one?')
    assert.equal(away, 'The source cannot be used: Redis refuses the connection.')
    assert.ok((await json('store', 'status')).holdings.tokens > 0)
    assert.ok(!(await readdir(folder)).includes('typo.sqlite'))
  })

  test('a copy that was cut off is not taken for a backup', async () => {
    const { here, folder, dataDir } = line()
    const file = join(folder, 'half.sqlite')
    await here.json('token', 'create', 'a half')
    await opened('', dataDir, (from) =>
      opened(`sqlite:${file}`, '', async (to) => {
        const tokens = { ...to.tokens, put: () => Promise.reject(new Error('the process is killed')) }
        await assert.rejects(copyStore(from, { ...to, tokens }), /is killed/)
      }),
    )
    const backup = ['store', 'copy', `sqlite:${file}`, 'current', '--force']
    assert.equal(
      await here.refusal(...backup),
      'Not copied: the source is itself an unfinished copy; repeat that copy first.',
    )
    await here.json('store', 'copy', 'current', `sqlite:${file}`, '--force')
    await here.json(...backup)
  })

  test('a source that is no database is only that, and nothing is left beside it', async () => {
    const { here, folder } = line()
    const file = join(folder, 'setup.exe')
    await writeFile(file, 'MZ certainly no database, but long enough to be one '.repeat(40))
    for (const source of [file, folder]) {
      const said = await here.refusal('store', 'copy', `sqlite:${source}`, 'current', '--force')
      assert.equal(said, `${source} is no SQLite database to copy from.`)
    }
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.startsWith('setup')),
      ['setup.exe'],
    )
  })

  test('a database that is locked, newer or none at all is a sentence', async () => {
    const { refusal, here, folder } = line()
    const files = Object.fromEntries(
      ['locked', 'newer', 'none', 'folder'].map((name) => [name, join(folder, `${name}.sqlite`)]),
    )
    await writeFile(files.none!, 'certainly no database, but long enough to be one '.repeat(40))
    await mkdir(files.folder!)
    using newer = new DatabaseSync(files.newer!)
    newer.exec('PRAGMA user_version = 99; CREATE TABLE t (x)')
    using locked = new DatabaseSync(files.locked!)
    locked.exec('BEGIN EXCLUSIVE; CREATE TABLE t (x)')
    const list = (name: string) => here.refusal('token', 'list', '--store-url', `sqlite:${files[name]}`)
    const said = await Promise.all([
      refusal('token', 'list', '--store-url', 'sqlite:locked.sqlite'),
      ...['newer', 'none', 'folder'].map(list),
    ])
    assert.equal(said[0], 'The store cannot be used: locked.sqlite is locked by another process.')
    assert.match(said[1]!, /^The store cannot be used: newer\.sqlite has schema 99, but .* nothing was changed/)
    assert.match(said[2]!, /^The store cannot be used: none\.sqlite is not a database, or is damaged/)
    assert.match(said[3]!, /^The store cannot be used: folder\.sqlite cannot be opened/)
  })
})

test('an address is banned, listed and let in again', async (t) => {
  const { json, run, refusal } = await commandLine(t)
  assert.match((await run('ban', 'list')).stdout, /^Nobody is banned\.\n$/)
  const { ban } = await json('ban', 'add', '2001:db8:1:2::7', '--for', '7d', '--reason', 'scrapes')
  assert.equal(ban.address, '2001:db8:1:2::/64')
  const { bans } = await json('ban', 'list')
  assert.deepEqual([bans.length, bans[0].reason, bans[0].by], [1, 'scrapes', 'operator'])
  assert.equal((await json('ban', 'lift', '2001:db8:1:2::99')).address, '2001:db8:1:2::/64')
  assert.equal(await refusal('ban', 'lift', '2001:db8:1:2::99'), '2001:db8:1:2::/64 is not banned.')
  assert.match(await refusal('ban', 'add', 'example.org'), /no IP address/)
  assert.match(await refusal('ban', 'add', '127.0.0.1'), /BAN_EXEMPT/)
  assert.match(await refusal('ban', 'add', '192.0.2.1', '--for', 'ever'), /--for must be/)
})
