// Redis rejects calls, or holds data of another program.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { StoreUnavailable } from '../../../src/errors/index.ts'
import { needsRedis, startRedis } from '../../kit/redis.ts'
import { until } from '../../kit/until.ts'
import { ban, client, token } from './contract.ts'
import { openAvailableRedis, openRedis, untilAvailable, untilUnavailable } from './open-redis.ts'

const INVALID_RECORDS = ['not-JSON', 'null', '[]', '{}', '7', '{"id":1}']

describe('Redis rejects calls', { ...needsRedis, concurrency: 3 }, () => {
  test('an invalid record does not hide the others', async (t) => {
    const redis = await startRedis(t)
    const { store, log } = await openAvailableRedis(t, redis.url, () => 0)
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
    const { store } = await openAvailableRedis(t, redis.url, () => 0)
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
    const { store } = await openAvailableRedis(t, redis.url)
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
    const { store, log } = await openAvailableRedis(t, redis.url)
    await redis.command('SET {menagerie}:tokens:revision hello')
    await assert.rejects(store.tokens.put([token('a')]), StoreUnavailable)
    await until(async () => /Redis rejects a call, perhaps because/.test((await store.health()).warning ?? ''))
    assert.ok(log.lines.some((line) => JSON.stringify(line).includes('Redis rejected a call')))
  })

  test('a revocation that Redis rejects can be repeated, and the nodes notice it', async (t) => {
    const redis = await startRedis(t)
    const { store } = await openAvailableRedis(t, redis.url)
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
    const { store, counter } = await openAvailableRedis(t, redis.url)
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
    const { store } = await openAvailableRedis(t, redis.url)
    await redis.command('ACL SETUSER default -@write')
    await assert.rejects(store.tokens.put([token('a')]), StoreUnavailable)
    await untilUnavailable(store, /lacks permission/)
    await redis.command('ACL SETUSER default +@write')
    await untilAvailable(store)
    assert.equal((await store.health()).warning, undefined)
  })

  test('a Redis user without permission for one command is reported', async (t) => {
    const redis = await startRedis(t)
    const { store } = await openAvailableRedis(t, redis.url)
    await redis.command('ACL SETUSER default -hdel')
    await assert.rejects(store.markers.remove('a'), StoreUnavailable)
    await until(async () => /lacks permission/.test((await store.health()).warning ?? ''))
  })

  test('a Redis user without permission for scripts is reported', async (t) => {
    const redis = await startRedis(t)
    await redis.command('ACL SETUSER menagerie on >secret ~* +@all -@scripting')
    const { store } = await openRedis(t, redis.url.replace('//', '//menagerie:secret@'))
    await untilUnavailable(store, /lacks permission/)
  })
})
