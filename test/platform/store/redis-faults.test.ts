// Redis refuses connections, hangs, is full, or holds data of another program.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { ErrorReply } from '@redis/client'
import { StoreUnavailable } from '../../../src/errors/index.ts'
import { type Clock, openDownloadCounter, openStore, type Store } from '../../../src/platform/store/index.ts'
import { describeError } from '../../../src/platform/store/redis/connection.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { createTestLog } from '../../kit/log.ts'
import { freePort, needsRedis, startRedis } from '../../kit/redis.ts'
import { startSlowProxy } from '../../kit/slow-proxy.ts'
import { until, untilEqual } from '../../kit/until.ts'
import { ban, client, token } from './contract.ts'

async function open(t: TestContext, url: string, clock: Clock = Date.now) {
  const log = createTestLog()
  const store = await openStore(url, { dataDir: '', log, clock })
  const counter = await openDownloadCounter(store.downloads, {
    folder: await temporaryFolder(t),
    log,
    flushIntervalMs: 50,
  })
  t.after(() => counter.close())
  t.after(() => store.close())
  return { store, log, counter }
}

async function openAvailable(t: TestContext, url: string, clock?: Clock) {
  const opened = await open(t, url, clock)
  await untilAvailable(opened.store)
  return opened
}

const untilAvailable = (store: Store) => until(async () => (await store.health()).ok)
const untilUnavailable = (store: Store, reason: RegExp) =>
  until(async () => reason.test((await store.health()).message))

/** Calls fail while a connection is replaced. */
const untilTotal = (store: Store, expected: number) =>
  untilEqual(async () => (await store.downloads.summary(1).catch(() => undefined))?.total, expected)

async function measureRejection(call: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await assert.rejects(call, StoreUnavailable)
  return performance.now() - start
}

const INVALID_RECORDS = ['not-JSON', 'null', '[]', '{}', '7', '{"id":1}']

describe('Redis with faults', { ...needsRedis, concurrency: 3 }, () => {
  test('Redis refuses connections: calls fail at once, and succeed when it is available', async (t) => {
    const redis = await startRedis(t)
    await redis.kill()
    const { store, counter, log } = await open(t, redis.url)
    counter.count('launcher', '1.0.0')
    await untilUnavailable(store, /^Redis refuses the connection$/)
    assert.ok((await measureRejection(() => store.tokens.list())) < 900)
    await redis.start()
    await untilAvailable(store)
    await until(() => counter.status().waiting === 0)
    assert.equal((await store.downloads.summary(1)).total, 1)
    assert.ok(log.lines.length < 20, 'logs one line per change, not per attempt')
  })

  test('Redis hangs: calls fail within a second, later calls at once, and the store recovers', async (t) => {
    const redis = await startRedis(t)
    const { store, counter } = await openAvailable(t, redis.url)
    redis.pause()
    t.after(() => redis.resume())
    assert.ok((await measureRejection(() => store.tokens.list())) < 2000)
    assert.ok((await measureRejection(() => store.tokens.list())) < 900)
    for (let index = 0; index < 100; index += 1) counter.count('launcher', '1.0.0')
    await until(() => counter.status().storeProblem !== undefined)
    assert.equal(counter.status().waiting, 100)
    redis.resume()
    await until(() => counter.status().waiting === 0)
    assert.equal((await store.downloads.summary(1)).total, 100)
  })

  test('Redis is killed under load and restarted: no count is lost or doubled', async (t) => {
    const redis = await startRedis(t)
    const { store, counter } = await openAvailable(t, redis.url)
    await redis.kill()
    let counted = 0
    const load = setInterval(() => {
      counter.count('launcher', '1.0.0')
      counted += 1
    }, 2)
    t.after(() => clearInterval(load))
    await until(() => counter.status().storeProblem !== undefined && counted > 100)
    await redis.start()
    await untilAvailable(store)
    const countedAtRestart = counted
    await until(() => counted > countedAtRestart + 25)
    clearInterval(load)
    await until(() => counter.status().waiting === 0)
    assert.equal((await store.downloads.summary(1)).total, counted)
  })

  test('Redis without free memory: reads work, writes fail with that reason, counts wait', async (t) => {
    const redis = await startRedis(t)
    const { store, counter } = await openAvailable(t, redis.url)
    await store.tokens.put([token('a')])
    await redis.command('CONFIG SET maxmemory 1')
    await redis.command('CONFIG SET maxmemory-policy noeviction')
    counter.count('launcher', '1.0.0')
    await untilUnavailable(store, /^Redis is out of memory and rejects writes$/)
    assert.equal((await store.tokens.list()).length, 1)
    await assert.rejects(store.tokens.put([token('b')]), StoreUnavailable)
    await until(() => counter.status().storeProblem === 'Redis is out of memory and rejects writes')
    await redis.command('CONFIG SET maxmemory 0')
    await until(() => counter.status().waiting === 0)
    await untilAvailable(store)
    assert.equal((await store.tokens.list()).length, 1)
  })

  test('a Redis that may evict counts, tokens and bans is reported', async (t) => {
    const redis = await startRedis(t, '--maxmemory-policy', 'allkeys-lru')
    const { store } = await openAvailable(t, redis.url)
    assert.equal((await store.health()).warning, undefined)
    await redis.command('CONFIG SET maxmemory 100mb')
    await until(async () => /^Redis deletes data .*\(allkeys-lru\)/.test((await store.health()).warning ?? ''))
    await redis.command('CONFIG SET maxmemory-policy noeviction')
    await until(async () => (await store.health()).warning === undefined)
    // With the documented rights, the policy is unknown.
    await redis.command('CONFIG SET maxmemory-policy allkeys-lru')
    await redis.command('ACL SETUSER app on >secret ~{menagerie* +@read +@write +@connection +@scripting +time')
    const limited = await openAvailable(t, redis.url.replace('//', '//app:secret@'))
    assert.equal((await limited.store.health()).warning, undefined)
  })

  test('a wrong password is reported without the password', async (t) => {
    const redis = await startRedis(t, '--requirepass', 'right-secret')
    const url = (password: string) => `redis://:${password}@127.0.0.1:${redis.port}`
    const { store, log } = await open(t, url('wrong-secret'))
    await untilUnavailable(store, /^Redis rejects the user name or password$/)
    assert.ok(!JSON.stringify(log.lines).includes('secret'))
    await openAvailable(t, url('right-secret'))
    const without = await open(t, redis.url)
    await untilUnavailable(without.store, /^Redis rejects the user name or password$/)
  })

  test('the address of one Redis is not used for another one, such as the target of a copy', async (t) => {
    const redis = await startRedis(t)
    await openAvailable(t, redis.url)
    // A part of the URL that this one left out, such as the port, was that of the first one.
    const other = await open(t, `rediss://127.0.0.1:${redis.port}`)
    await untilUnavailable(other.store, /TLS|closed the connection|does not reply/)
    await openAvailable(t, redis.url)
  })

  test('the messages for an unreachable server contain no address', async (t) => {
    const refusing = await open(t, `redis://localhost:${await freePort()}`)
    await untilUnavailable(refusing.store, /^Redis refuses the connection$/)
    const unresolved = await open(t, 'redis://no-such-host.invalid:6379')
    await untilUnavailable(unresolved.store, /^the host name of Redis cannot be resolved$/)
    assert.ok(!/127\.0|::1|localhost|invalid/.test(JSON.stringify([refusing.log.lines, unresolved.log.lines])))
  })

  test('data of a newer version of the service is refused and not changed', async (t) => {
    const redis = await startRedis(t)
    await redis.command('SET {menagerie}:layout 7')
    const { store } = await open(t, redis.url)
    await untilUnavailable(store, /layout 7.*at most layout 1; nothing was changed/)
    await assert.rejects(store.tokens.put([token('a')]), StoreUnavailable)
    assert.match(await redis.command('DBSIZE'), /^:1\r\n/)
  })

  test('counts arrive when a replica becomes the master and has no cached scripts', async (t) => {
    const [first, second] = [await startRedis(t), await startRedis(t)]
    await second.command(`REPLICAOF 127.0.0.1 ${first.port}`)
    const { store, counter } = await open(t, second.url)
    await untilUnavailable(store, /^Redis rejects writes at the moment$/)
    counter.count('launcher', '1.0.0')
    await second.command('REPLICAOF NO ONE')
    await second.command('SCRIPT FLUSH')
    await until(() => counter.status().waiting === 0)
    await untilTotal(store, 1)
  })

  test('after a failover behind one address, a connection to the former master is not kept', async (t) => {
    const errors = {
      'Redis 7': '-READONLY',
      'Redis 6': '-ERR Error running script (call to f_1): @user_script: 1: -READONLY',
      'a replica without its master': '-MASTERDOWN',
    }
    const failOver = async (error: string) => {
      const [first, second] = [await startRedis(t), await startRedis(t)]
      await second.command(`REPLICAOF 127.0.0.1 ${first.port}`)
      const proxy = await startSlowProxy(t, first.port)
      const { store, counter } = await openAvailable(t, `redis://127.0.0.1:${proxy.port}`)
      // The address leads to the new master from now on, but open connections stay.
      proxy.target = second.port
      proxy.rewrite = (text) => text.replace('-READONLY', error)
      await second.command('REPLICAOF NO ONE')
      await first.command(`REPLICAOF 127.0.0.1 ${second.port}`)
      counter.count('launcher', '1.0.0')
      await until(() => counter.status().waiting === 0)
      await untilTotal(store, 1)
      assert.match(await second.command('HLEN {menagerie}:downloads:rows'), /^:1\r\n/)
    }
    await Promise.all(Object.values(errors).map(failOver))
  })

  test('errors of a script are described in the same way for Redis 6 and 7', () => {
    const errors: [RegExp, string][] = [
      [/out of memory/, "OOM command not allowed when used memory > 'maxmemory'."],
      [/rejects writes at the moment/, 'MISCONF Redis is configured to save RDB snapshots'],
      [/rejects writes at the moment/, 'BUSY Redis is busy running a script.'],
      [/lacks permission/, "The user executing the script can't run this command or subcommand"],
      [/lacks permission/, "ERR The user executing the script can't run this command or subcommand"],
      [/lacks permission/, 'ERR ACL failure in script: User default has no permissions to run the set command'],
    ]
    for (const [expected, text] of errors) {
      assert.match(describeError(new ErrorReply(text)).message, expected)
      for (const prefix of ['@user_script:12: ', '@user_script: 12: -']) {
        const message = `ERR Error running script (call to f_1): ${prefix}${text}`
        assert.match(describeError(new ErrorReply(message)).message, expected)
      }
    }
  })

  test('a strike that is added while they are listed has a score, or is not in the list', async (t) => {
    const redis = await startRedis(t)
    const proxy = await startSlowProxy(t, redis.port)
    const { store } = await openAvailable(t, `redis://127.0.0.1:${proxy.port}`)
    const { store: other } = await openAvailable(t, redis.url)
    const expiresAt = Date.now() + 3_600_000
    await other.strikes.add('first', 2, expiresAt)
    const { promise: isReading, resolve } = Promise.withResolvers<void>()
    // The first reply of the list waits here, while the next strike is added.
    proxy.delayMs = 400
    proxy.rewrite = (reply) => {
      resolve()
      return reply
    }
    const listing = store.strikes.list()
    await isReading
    await other.strikes.add('second', 3, expiresAt)
    const scores = new Map((await listing).map(({ key, score }) => [key, score]))
    assert.deepEqual([scores.get('first'), scores.get('second') ?? 3], [2, 3])
  })

  test('an invalid record does not hide the others', async (t) => {
    const redis = await startRedis(t)
    const { store, log } = await openAvailable(t, redis.url, () => 0)
    const { revision } = await store.bans.changes(0)
    await store.tokens.put([token('a')])
    await store.clients.put([client('a')])
    await store.bans.put([ban('192.0.2.1')])
    for (const [index, text] of INVALID_RECORDS.entries()) {
      for (const key of ['tokens', 'clients', 'bans']) await redis.command(`HSET {menagerie}:${key} x${index} ${text}`)
      await redis.command(`ZADD {menagerie}:bans:revisions 9e15 x${index}`)
    }
    assert.deepEqual(await store.tokens.list(), [token('a')])
    assert.deepEqual(await store.clients.list(), [client('a')])
    assert.deepEqual(await store.bans.list(), [ban('192.0.2.1')])
    assert.deepEqual((await store.bans.changes(revision)).put, [ban('192.0.2.1')])
    assert.deepEqual((await store.bans.changes(0)).put, [ban('192.0.2.1')])
    assert.equal(await store.clients.find('x0'), undefined)
    const warnings = log.lines.filter(({ message }) => message.includes('did not write'))
    assert.equal(warnings.length, 3, 'one warning per key')
  })

  test('counts with invalid names are left out of the sums', async (t) => {
    const redis = await startRedis(t)
    const { store } = await openAvailable(t, redis.url, () => 0)
    const row = { application: 'launcher', version: '1.0.0', day: '1970-01-01', count: 2 }
    await store.downloads.add({ writer: 'w', number: 1, rows: [row] })
    for (const key of ['rows', 'versions', 'days']) {
      for (const text of INVALID_RECORDS) await redis.command(`HSET {menagerie}:downloads:${key} ${text} 5`)
      await redis.command(`HSET {menagerie}:downloads:${key} ["launcher","2.0.0","1970-01-01"] many`)
    }
    assert.deepEqual(await store.downloads.rows(), [row])
    assert.equal((await store.downloads.summary(1)).total, 2)
  })

  test('a key of another type under one of our names is reported', async (t) => {
    const redis = await startRedis(t)
    const { store } = await openAvailable(t, redis.url)
    await redis.command('SET {menagerie}:bans hello')
    await untilUnavailable(store, /another program has written the key bans/)
    await redis.command('DEL {menagerie}:bans')
    await untilAvailable(store)
    await redis.command('DEL {menagerie}:bans:revision')
    await redis.command('LPUSH {menagerie}:bans:revision hello')
    await untilUnavailable(store, /another program has written the key bans:revision/)
  })

  test('a call that Redis rejects because of a value of another program is reported', async (t) => {
    const redis = await startRedis(t)
    const { store, log } = await openAvailable(t, redis.url)
    await redis.command('SET {menagerie}:tokens:revision hello')
    await assert.rejects(store.tokens.put([token('a')]), StoreUnavailable)
    await until(async () => /Redis rejects a call, perhaps because/.test((await store.health()).warning ?? ''))
    assert.ok(log.lines.some((line) => JSON.stringify(line).includes('Redis rejected a call')))
  })

  test('a revocation that Redis rejects can be repeated, and the nodes notice it', async (t) => {
    const redis = await startRedis(t)
    const { store } = await openAvailable(t, redis.url)
    await store.tokens.put([token('a'), token('b')])
    await store.clients.put([client('c', { state: 'granted' })])
    const revoke = () => store.clients.decide('c', ['granted'], { state: 'revoked', decidedAt: 1, keyHash: null })
    const [tokens, clients] = [await store.tokens.revision(), await store.clients.revision()]
    for (const name of ['tokens', 'clients']) {
      await redis.command(`COPY {menagerie}:${name}:revision saved:${name}`)
      await redis.command(`SET {menagerie}:${name}:revision hello`)
    }
    await assert.rejects(store.tokens.remove('a'), StoreUnavailable)
    await assert.rejects(revoke(), StoreUnavailable)
    for (const name of ['tokens', 'clients']) await redis.command(`RENAME saved:${name} {menagerie}:${name}:revision`)
    assert.equal(await store.tokens.remove('a'), true)
    assert.equal((await revoke())?.state, 'revoked')
    assert.notEqual(await store.tokens.revision(), tokens)
    assert.notEqual(await store.clients.revision(), clients)
  })

  test('counts that Redis rejects in the middle of a batch wait, and are counted once afterwards', async (t) => {
    const redis = await startRedis(t)
    const { store, counter } = await openAvailable(t, redis.url)
    await counter.count('launcher', '1.0.0')
    await until(() => counter.status().waiting === 0)
    const [day] = (await store.downloads.summary(1)).daily.map(({ date }) => date)
    const [rows, days, seen] = ['rows', 'days', 'seen'].map((name) => `{menagerie}:downloads:${name}`)
    const replaceKey = (key?: string) => [`COPY ${key} saved`, `SET ${key} 1`, `RENAME saved ${key}`]
    const faults = [
      replaceKey(rows),
      replaceKey(seen),
      [`HSET ${days} ${day} many`, `HSET ${days} ${day} 3`],
      ['ACL SETUSER default -hincrby', 'ACL SETUSER default +hincrby'],
    ]
    for (const [index, commands] of faults.entries()) {
      for (const command of commands.slice(0, -1)) await redis.command(command)
      await counter.count('launcher', '1.0.0')
      await until(() => counter.status().storeProblem !== undefined)
      await until(async () => !(await store.health()).ok || (await store.health()).warning !== undefined)
      await redis.command(commands.at(-1) ?? '')
      await until(() => counter.status().waiting === 0)
      const { total, daily } = await store.downloads.summary(1)
      assert.deepEqual(
        { total, daily: daily[0]?.count },
        { total: index + 2, daily: index + 2 },
        `after ${commands[0]}`,
      )
      assert.equal((await store.downloads.rows())[0]?.count, index + 2)
    }
  })

  test('a Redis user without permission to write is reported, and no longer when it has that permission', async (t) => {
    const redis = await startRedis(t)
    const { store } = await openAvailable(t, redis.url)
    await redis.command('ACL SETUSER default -@write')
    await assert.rejects(store.tokens.put([token('a')]), StoreUnavailable)
    await untilUnavailable(store, /lacks permission/)
    await redis.command('ACL SETUSER default +@write')
    await untilAvailable(store)
    assert.equal((await store.health()).warning, undefined)
  })

  test('a Redis user without permission for one command is reported', async (t) => {
    const redis = await startRedis(t)
    const { store } = await openAvailable(t, redis.url)
    await redis.command('ACL SETUSER default -hdel')
    await assert.rejects(store.markers.remove('a'), StoreUnavailable)
    await until(async () => /lacks permission/.test((await store.health()).warning ?? ''))
  })

  test('a Redis user without permission for scripts is reported', async (t) => {
    const redis = await startRedis(t)
    await redis.command('ACL SETUSER menagerie on >secret ~* +@all -@scripting')
    const { store } = await open(t, redis.url.replace('//', '//menagerie:secret@'))
    await untilUnavailable(store, /lacks permission/)
  })
})
