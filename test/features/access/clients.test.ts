import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  ClientDecided,
  ClientKeyInvalid,
  ClientKeyRequired,
  InvalidBody,
  StoreUnavailable,
  TooManyKeyRequests,
  UnknownClient,
} from '../../../src/errors/index.ts'
import { createClients } from '../../../src/features/access/index.ts'
import { temporaryStore } from '../../kit/store.ts'
import { until } from '../../kit/until.ts'

const REQUEST_URL = 'https://menagerie.example/v5-access'
const request = { name: 'Fox Launcher', contact: 'fox@example.org', reason: 'It looks for updates.\nOnce a day.' }

async function setUp(t: TestContext, maxPending?: number) {
  const store = await temporaryStore(t)
  const node = () => createClients(store.clients, maxPending ? { maxPending } : {})
  const works = (key: string) => (clients: ReturnType<typeof node>) =>
    clients.authenticate(key, REQUEST_URL).then(
      () => true,
      () => false,
    )
  return { store, node, works, clients: node() }
}

test('a granted key works on every node and is stored only as a hash', async (t) => {
  const { store, node, clients } = await setUp(t)
  const submitted = await clients.submitRequest({ ...request, name: '  Fox Launcher ', admin: true })
  const { id, createdAt } = submitted
  assert.deepEqual(submitted, { ...request, id, state: 'pending', createdAt, decidedAt: null })
  assert.deepEqual(await clients.list('pending'), [submitted])
  const { key, client } = await clients.grant(id)
  assert.match(key, /^mngc_[A-Za-z0-9_-]{43}$/)
  assert.equal(client.state, 'granted')
  for (const one of [node(), node()]) assert.equal((await one.authenticate(key, REQUEST_URL)).name, 'Fox Launcher')
  assert.ok(!JSON.stringify(await store.clients.list()).includes(key.slice(5)))
  assert.ok(!JSON.stringify(await clients.list()).includes('keyHash'))
})

test('a missing key and a wrong key are errors that name the URL to request a key', async (t) => {
  const { clients } = await setUp(t)
  await assert.rejects(
    clients.authenticate(undefined, REQUEST_URL),
    (error: InstanceType<typeof ClientKeyRequired>) => {
      assert.ok(error instanceof ClientKeyRequired)
      assert.equal(error.details.keyRequestUrl, REQUEST_URL)
      assert.match(error.message, /X-Client-Key.*\/v5-access/)
      return true
    },
  )
  await assert.rejects(clients.authenticate('', REQUEST_URL), ClientKeyRequired)
  for (const wrong of ['x', 'mngc_', 'null', '__proto__', '0'.repeat(64)]) {
    await assert.rejects(clients.authenticate(wrong, REQUEST_URL), ClientKeyInvalid)
  }
})

test('a revoked key stops working within a second, and granting again creates a new key', async (t) => {
  const { node, works, clients } = await setUp(t)
  const { id } = await clients.submitRequest(request)
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

test('a decision that the current state does not allow is refused with that state', async (t) => {
  const { clients } = await setUp(t)
  const { id } = await clients.submitRequest(request)
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

test('the number of pending requests is bounded', async (t) => {
  const { clients } = await setUp(t, 3)
  const results = await Promise.allSettled(Array.from({ length: 5 }, () => clients.submitRequest(request)))
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 3)
  await assert.rejects(clients.submitRequest(request), TooManyKeyRequests)
  const [first] = await clients.list()
  await clients.refuse(first?.id ?? '')
  await clients.submitRequest(request)
})

test('pending requests expire after 30 days and no longer count', async (t) => {
  const { store } = await setUp(t)
  let now = Date.now()
  const clients = createClients(store.clients, { maxPending: 1, clock: () => now })
  const { id } = await clients.submitRequest(request)
  now += 29 * 86_400_000
  await assert.rejects(clients.submitRequest(request), TooManyKeyRequests)
  now += 2 * 86_400_000
  const next = await clients.submitRequest(request)
  const states = (await clients.list()).map((client) => [client.id, client.state])
  assert.deepEqual(states, [
    [id, 'refused'],
    [next.id, 'pending'],
  ])
  await clients.grant(id)
})

test('invalid text is refused with the field and its rule', async (t) => {
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
    await assert.rejects(
      clients.submitRequest({ ...request, [field]: value }),
      (error: InstanceType<typeof InvalidBody>) => {
        assert.ok(error instanceof InvalidBody)
        assert.equal(error.details.field, field)
        assert.match(error.message, /must be text of \d+ to \d+ characters/)
        return true
      },
    )
  }
  for (const body of [undefined, null, 'text', [], 1]) await assert.rejects(clients.submitRequest(body), InvalidBody)
  assert.deepEqual(await clients.list(), [])
})

test('while the store is unavailable known keys keep working, and other keys are not called invalid', async (t) => {
  const { store } = await setUp(t)
  let failures = 0
  const revision = () => store.clients.revision().catch((error) => Promise.reject(error).finally(() => failures++))
  const clients = createClients({ ...store.clients, revision })
  const { id } = await clients.submitRequest(request)
  const { key } = await clients.grant(id)
  await clients.authenticate(key, REQUEST_URL)
  await store.close()
  await until(async () => {
    await clients.authenticate(key, REQUEST_URL)
    return failures > 0
  })
  assert.equal((await clients.authenticate(key, REQUEST_URL)).id, id)
  // The key may have been granted on another node meanwhile.
  await assert.rejects(clients.authenticate('mngc_other', REQUEST_URL), StoreUnavailable)
})
