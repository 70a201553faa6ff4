// Another program, a hand or an ACL is in the way of what the service keeps in Redis.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openStore } from '../../../src/platform/store/index.ts'
import { rememberingLog } from '../../kit/log.ts'
import { needsRedis, startRedis, type TestRedis } from '../../kit/redis.ts'
import { until } from '../../kit/until.ts'
import { ban, client, token } from './contract.ts'

async function open(t: TestContext, { url }: Pick<TestRedis, 'url'>) {
  const log = rememberingLog()
  const store = openStore(url, { dataDir: '', log, clock: () => 0 })
  t.after(() => store.close())
  return { store, log }
}

const RUBBISH = ['not-JSON', 'null', '[]', '{}', '7', '{"id":1}']

test('a record that cannot be read does not hide the others', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const { store, log } = await open(t, redis)
  await until(async () => (await store.health()).ok)
  const { revision } = await store.bans.changes(0)
  await Promise.all([
    store.tokens.put([token('a')]),
    store.clients.put([client('a')]),
    store.bans.put([ban('192.0.2.1')]),
  ])
  for (const [nth, text] of RUBBISH.entries()) {
    for (const part of ['tokens', 'clients', 'bans']) await redis.command(`HSET {menagerie}:${part} x${nth} ${text}`)
    await redis.command(`ZADD {menagerie}:bans:revisions 9e15 x${nth}`)
  }
  assert.deepEqual(await store.tokens.list(), [token('a')])
  assert.deepEqual(await store.clients.list(), [client('a')])
  assert.deepEqual(await store.bans.list(), [ban('192.0.2.1')])
  assert.deepEqual((await store.bans.changes(revision)).put, [ban('192.0.2.1')])
  assert.deepEqual((await store.bans.changes(0)).put, [ban('192.0.2.1')])
  assert.equal(await store.clients.find('x0'), undefined)
  const told = log.lines.filter(({ message }) => message.includes('did not write'))
  assert.equal(told.length, 3, 'once a part')
})

test('counts whose names cannot be read are left out of the sums', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const { store } = await open(t, redis)
  await until(async () => (await store.health()).ok)
  const row = { application: 'launcher', version: '1.0.0', day: '1970-01-01', count: 2 }
  await store.downloads.add({ writer: 'w', number: 1, rows: [row] })
  for (const key of ['rows', 'versions', 'days']) {
    for (const text of RUBBISH) await redis.command(`HSET {menagerie}:downloads:${key} ${text} 5`)
    await redis.command(`HSET {menagerie}:downloads:${key} ["launcher","2.0.0","1970-01-01"] many`)
  }
  assert.deepEqual(await store.downloads.rows(), [row])
  assert.equal((await store.downloads.summary(1)).total, 2)
})

test('a key of another type under a name of ours is told', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const { store } = await open(t, redis)
  await until(async () => (await store.health()).ok)
  await redis.command('SET {menagerie}:bans hello')
  await until(async () => /another program has written the key bans/.test((await store.health()).message))
  await redis.command('DEL {menagerie}:bans')
  await until(async () => (await store.health()).ok)
})

test('a user who may not run scripts is told so, not that all is well', needsRedis, async (t) => {
  const redis = await startRedis(t)
  await redis.command('ACL SETUSER menagerie on >secret ~* +@all -@scripting')
  const { store } = await open(t, { url: redis.url.replace('//', '//menagerie:secret@') })
  await until(async () => /lacks permission/.test((await store.health()).message))
})
