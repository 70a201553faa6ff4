import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  ClientDecided,
  ClientKeyInvalid,
  ClientKeyRequired,
  InvalidBody,
  TooManyRequestsOpen,
  UnknownClient,
} from '../../../src/errors/index.ts'
import { createClients } from '../../../src/features/access/index.ts'
import { temporaryStore } from '../../kit/store.ts'
import { until } from '../../kit/until.ts'

const request = { name: 'Fox Launcher', contact: 'fox@example.org', reason: 'It looks for updates.\nOnce a day.' }

async function setUp(t: TestContext, mostOpen?: number) {
  const store = await temporaryStore(t)
  const node = () => createClients(store.clients, { askAt: '/v5-access', ...(mostOpen && { mostOpen }) })
  const works = (key: string) => (clients: ReturnType<typeof node>) =>
    clients.authenticate(key).then(
      () => true,
      () => false,
    )
  return { store, node, works, clients: node() }
}

test('someone asks, the operator grants, the key works on every node, and is kept as a hash', async (t) => {
  const { store, node, clients } = await setUp(t)
  const asked = await clients.ask({ ...request, name: '  Fox Launcher ', admin: true })
  assert.deepEqual(asked, { ...request, id: asked.id, state: 'asked', createdAt: asked.createdAt, decidedAt: null })
  assert.deepEqual(await clients.list('asked'), [asked])
  const { key, client } = await clients.grant(asked.id)
  assert.match(key, /^mngc_[A-Za-z0-9_-]{43}$/)
  assert.equal(client.state, 'granted')
  for (const one of [node(), node()]) assert.equal((await one.authenticate(key)).name, 'Fox Launcher')
  assert.ok(!JSON.stringify(await store.clients.list()).includes(key.slice(5)))
  assert.ok(!JSON.stringify(await clients.list()).includes('keyHash'))
})

test('without a key the caller is told where to ask, with a wrong one that it is wrong', async (t) => {
  const { clients } = await setUp(t)
  await assert.rejects(clients.authenticate(undefined), (error: InstanceType<typeof ClientKeyRequired>) => {
    assert.ok(error instanceof ClientKeyRequired)
    assert.equal(error.details.askAt, '/v5-access')
    assert.match(error.message, /X-Client-Key.*\/v5-access/)
    return true
  })
  await assert.rejects(clients.authenticate(''), ClientKeyRequired)
  for (const wrong of ['x', 'mngc_', 'null', '__proto__', '0'.repeat(64)]) {
    await assert.rejects(clients.authenticate(wrong), ClientKeyInvalid)
  }
})

test('a revoked key stops within a second, and a new grant makes a new key', async (t) => {
  const { node, works, clients } = await setUp(t)
  const { id } = await clients.ask(request)
  const first = await clients.grant(id)
  const nodes = [node(), node()]
  const eachNode = (key: string) => Promise.all(nodes.map(works(key)))
  assert.deepEqual(await eachNode(first.key), [true, true])
  await clients.revoke(id)
  await until(async () => (await eachNode(first.key)).join() === 'false,false', 1000)
  const second = await clients.grant(id)
  await until(async () => (await eachNode(second.key)).join() === 'true,true', 1000)
  assert.deepEqual(await eachNode(first.key), [false, false])
})

test('a decision that does not follow is refused with the state', async (t) => {
  const { clients } = await setUp(t)
  const { id } = await clients.ask(request)
  await assert.rejects(clients.revoke(id), ClientDecided)
  await clients.refuse(id)
  await assert.rejects(clients.refuse(id), (error: InstanceType<typeof ClientDecided>) => {
    assert.equal(error.details.state, 'refused')
    return error instanceof ClientDecided
  })
  await clients.grant(id)
  await assert.rejects(clients.grant(id), ClientDecided)
  await assert.rejects(clients.grant('nobody'), UnknownClient)
})

test('only so many requests wait at a time', async (t) => {
  const { clients } = await setUp(t, 3)
  const asked = await Promise.allSettled(Array.from({ length: 5 }, () => clients.ask(request)))
  assert.equal(asked.filter(({ status }) => status === 'fulfilled').length, 3)
  await assert.rejects(clients.ask(request), TooManyRequestsOpen)
  const [first] = await clients.list()
  await clients.refuse(first?.id ?? '')
  await clients.ask(request)
})

test('what no operator could read is refused, with the field and its rule', async (t) => {
  const { clients } = await setUp(t)
  const wrong: [string, unknown][] = [
    ['name', 'x'],
    ['name', ' '.repeat(50)],
    ['name', 'x'.repeat(81)],
    ['name', 'two\nlines'],
    ['name', '\u001b]0;title\u0007'],
    ['name', 'gro\u202efed'],
    ['name', 7],
    ['name', { toString: 'x' }],
    ['contact', undefined],
    ['contact', 'a\0b@example.org'],
    ['reason', 'short'],
    ['reason', 'x'.repeat(1001)],
    ['reason', 'with a bell\u0007 in it'],
  ]
  for (const [field, value] of wrong) {
    await assert.rejects(clients.ask({ ...request, [field]: value }), (error: InstanceType<typeof InvalidBody>) => {
      assert.ok(error instanceof InvalidBody)
      assert.equal(error.details.field, field)
      assert.match(error.message, /must be text of \d+ to \d+ characters/)
      return true
    })
  }
  for (const body of [undefined, null, 'text', [], 1]) await assert.rejects(clients.ask(body), InvalidBody)
  assert.deepEqual(await clients.list(), [])
})

test('keys that were good go on while the store is away, others do not begin', async (t) => {
  const { store, clients } = await setUp(t)
  const { id } = await clients.ask(request)
  const { key } = await clients.grant(id)
  await clients.authenticate(key)
  await store.close()
  await new Promise((resolve) => setTimeout(resolve, 500))
  assert.equal((await clients.authenticate(key)).id, id)
  await assert.rejects(clients.authenticate('mngc_other'), ClientKeyInvalid)
})
