// Redis refuses connections, hangs, is full, or is replaced by another one.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ErrorReply } from '@redis/client'
import { StoreUnavailable } from '../../../src/errors/index.ts'
import { openStore, type Store } from '../../../src/platform/store/index.ts'
import { describeError } from '../../../src/platform/store/redis/connection.ts'
import { createTestLog } from '../../kit/log.ts'
import { freePort, needsRedis, startRedis } from '../../kit/redis.ts'
import { startSlowProxy } from '../../kit/slow-proxy.ts'
import { PATIENT } from '../../kit/store.ts'
import { until, untilEqual, within } from '../../kit/until.ts'
import { token } from './contract.ts'
import { openAvailableRedis, openRedis, untilAvailable, untilUnavailable } from './open-redis.ts'

/** Calls fail while a connection is replaced. */
const untilTotal = (store: Store, expected: number) =>
  untilEqual(async () => (await store.downloads.summary(1).catch(() => undefined))?.total, expected)

const failsWithin = (ms: number, call: () => Promise<unknown>) =>
  within(ms, () => assert.rejects(call, StoreUnavailable))

describe('Redis with faults', { ...needsRedis, concurrency: 3 }, () => {
  test('Redis refuses connections: calls fail at once, and succeed when it is available', async (t) => {
    const redis = await startRedis(t)
    await redis.kill()
    const { store, counter, log } = await openRedis(t, redis.url)
    counter.count('launcher', '1.0.0')
    await untilUnavailable(store, /^Redis refuses the connection$/)
    await failsWithin(900, () => store.tokens.list())
    await redis.start()
    await untilAvailable(store)
    await until(() => counter.status().waiting === 0)
    assert.equal((await store.downloads.summary(1)).total, 1)
    assert.ok(log.lines.length < 20, 'logs one line per change, not per attempt')
  })

  test('Redis hangs: calls fail within a second, later calls at once, and the store recovers', async (t) => {
    const redis = await startRedis(t)
    const { store, counter } = await openAvailableRedis(t, redis.url)
    redis.pause()
    t.after(() => redis.resume())
    await failsWithin(2000, () => store.tokens.list())
    await failsWithin(900, () => store.tokens.list())
    for (let index = 0; index < 100; index += 1) counter.count('launcher', '1.0.0')
    await until(() => counter.status().storeProblem !== undefined)
    assert.equal(counter.status().waiting, 100)
    redis.resume()
    await until(() => counter.status().waiting === 0)
    assert.equal((await store.downloads.summary(1)).total, 100)
  })

  test('Redis is killed under load and restarted: no count is lost or doubled', async (t) => {
    const redis = await startRedis(t)
    const { store, counter } = await openAvailableRedis(t, redis.url)
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
    const { store, counter } = await openAvailableRedis(t, redis.url)
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
    const { store } = await openAvailableRedis(t, redis.url)
    assert.equal((await store.health()).warning, undefined)
    await redis.command('CONFIG SET maxmemory 100mb')
    await until(async () => /^Redis deletes data .*\(allkeys-lru\)/.test((await store.health()).warning ?? ''))
    await redis.command('CONFIG SET maxmemory-policy noeviction')
    await until(async () => (await store.health()).warning === undefined)
    // With the documented rights, the policy is unknown.
    await redis.command('CONFIG SET maxmemory-policy allkeys-lru')
    await redis.command('ACL SETUSER app on >secret ~{menagerie* +@read +@write +@connection +@scripting +time')
    const limited = await openAvailableRedis(t, redis.url.replace('//', '//app:secret@'))
    assert.equal((await limited.store.health()).warning, undefined)
  })

  test('a wrong password is reported without the password', async (t) => {
    const redis = await startRedis(t, '--requirepass', 'right-secret')
    const url = (password: string) => `redis://:${password}@127.0.0.1:${redis.port}`
    const { store, log } = await openRedis(t, url('wrong-secret'))
    await untilUnavailable(store, /^Redis rejects the user name or password$/)
    assert.ok(!JSON.stringify(log.lines).includes('secret'))
    await openAvailableRedis(t, url('right-secret'))
    const without = await openRedis(t, redis.url)
    await untilUnavailable(without.store, /^Redis rejects the user name or password$/)
  })

  test('the address of one Redis is not used for another one, such as the target of a copy', async (t) => {
    const redis = await startRedis(t)
    await openAvailableRedis(t, redis.url)
    // A part of the URL that this one left out, such as the port, was that of the first one.
    const other = await openRedis(t, `rediss://127.0.0.1:${redis.port}`)
    await untilUnavailable(other.store, /TLS|closed the connection|does not reply/)
    await openAvailableRedis(t, redis.url)
  })

  test('the messages for an unreachable server contain no address', async (t) => {
    const refusing = await openRedis(t, `redis://localhost:${await freePort()}`)
    await untilUnavailable(refusing.store, /^Redis refuses the connection$/)
    const unresolved = await openRedis(t, 'redis://no-such-host.invalid:6379')
    await untilUnavailable(unresolved.store, /^the host name of Redis cannot be resolved$/)
    assert.ok(!/127\.0|::1|localhost|invalid/.test(JSON.stringify([refusing.log.lines, unresolved.log.lines])))
  })

  test('data of a newer version of the service is refused and not changed', async (t) => {
    const redis = await startRedis(t)
    await redis.command('SET {menagerie}:layout 7')
    const { store } = await openRedis(t, redis.url)
    await untilUnavailable(store, /layout 7.*at most layout 1; nothing was changed/)
    await assert.rejects(store.tokens.put([token('a')]), StoreUnavailable)
    assert.match(await redis.command('DBSIZE'), /^:1\r\n/)
  })

  test('counts arrive when a replica becomes the master and has no cached scripts', async (t) => {
    const [first, second] = [await startRedis(t), await startRedis(t)]
    await second.command(`REPLICAOF 127.0.0.1 ${first.port}`)
    const { store, counter } = await openRedis(t, second.url)
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
      const { store, counter } = await openAvailableRedis(t, `redis://127.0.0.1:${proxy.port}`)
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
    const url = `redis://127.0.0.1:${proxy.port}`
    const store = await openStore(url, { dataDir: '', log: createTestLog(), ...PATIENT })
    t.after(() => store.close())
    await untilAvailable(store)
    const { store: other } = await openAvailableRedis(t, redis.url)
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
})
