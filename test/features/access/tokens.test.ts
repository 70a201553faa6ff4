import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  InvalidBody,
  StoreUnavailable,
  TokenInvalid,
  TokenRequired,
  TokenScopeMissing,
} from '../../../src/errors/index.ts'
import { createTokens } from '../../../src/features/access/index.ts'
import { temporaryStore } from '../../kit/store.ts'
import { until } from '../../kit/until.ts'

const HOUR = 3_600_000

test('a token is shown once and stored as a hash', async (t) => {
  const { tokens: store } = await temporaryStore(t)
  const tokens = createTokens(store)
  const { secret, token } = await tokens.create('  laptop ', ['write', 'read'], null)
  assert.match(secret, /^mng_[A-Za-z0-9_-]{43}$/)
  assert.equal(token.label, 'laptop')
  assert.deepEqual(token.scopes, ['read', 'write'])
  const stored = JSON.stringify([await store.list(), await tokens.list()])
  assert.ok(!stored.includes(secret) && !stored.includes(secret.slice(4)))
  assert.ok(!JSON.stringify(await tokens.list()).includes('hash'))
})

test('the Authorization header grants the scopes of its token', async (t) => {
  const { tokens: store } = await temporaryStore(t)
  const tokens = createTokens(store)
  const reader = await tokens.create('reader', ['read'], null)
  assert.equal((await tokens.authenticate(`Bearer ${reader.secret}`, 'read')).label, 'reader')
  assert.equal((await tokens.authenticate(`bearer  ${reader.secret} `, 'read')).label, 'reader')
  await assert.rejects(tokens.authenticate(`Bearer ${reader.secret}`, 'write'), TokenScopeMissing)
})

test('a missing, malformed or wrong token is refused, also while no token exists', async (t) => {
  const { tokens: store } = await temporaryStore(t)
  const tokens = createTokens(store)
  for (const header of [undefined, '', ' ', 'Basic eDp5', 'Digest username="x"', 'negotiate abc']) {
    await assert.rejects(tokens.authenticate(header, 'read'), TokenRequired, header)
  }
  for (const header of ['Bearer mng_x', 'Bearer', 'Bearer ', 'mng_x', 'Bearer a b', 'Basically x', 'basic']) {
    await assert.rejects(tokens.authenticate(header, 'read'), TokenInvalid, header)
  }
  const { secret } = await tokens.create('a', ['read'], null)
  const [{ hash = '' } = {}] = await store.list()
  for (const wrong of [
    secret.slice(0, -1),
    `${secret}x`,
    secret.toUpperCase(),
    hash,
    '__proto__',
    'x'.repeat(10_000),
  ]) {
    await assert.rejects(tokens.authenticate(`Bearer ${wrong}`, 'read'), TokenInvalid, wrong.slice(0, 50))
  }
})

test('an expired token is refused like a wrong one, but reported as expired', async (t) => {
  const { tokens: store } = await temporaryStore(t)
  let now = Date.now()
  const tokens = createTokens(store, { clock: () => now })
  const { secret } = await tokens.create('a', ['read'], now + HOUR)
  assert.equal((await tokens.verify(secret))?.expired, false)
  now += HOUR
  await assert.rejects(tokens.authenticate(`Bearer ${secret}`, 'read'), TokenInvalid)
  assert.equal((await tokens.verify(secret))?.expired, true)
  assert.equal(await tokens.verify('mng_x'), undefined)
})

test('a revoked token is refused on every node within a second', async (t) => {
  const { tokens: store } = await temporaryStore(t)
  const [here, there] = [createTokens(store), createTokens(store)]
  const { secret, token } = await here.create('a', ['read'], null)
  const works = (tokens: typeof here) =>
    tokens.authenticate(`Bearer ${secret}`, 'read').then(
      () => true,
      () => false,
    )
  assert.deepEqual([await works(here), await works(there)], [true, true])
  await here.revoke(token.id)
  assert.equal(await works(here), false)
  await until(async () => !(await works(there)), 1000)
  await assert.rejects(here.revoke(token.id), /^Error: There is no token/)
})

test('a token that another process created is valid at once', async (t) => {
  const { tokens: store } = await temporaryStore(t)
  const [here, there] = [createTokens(store), createTokens(store)]
  for (let round = 0; round < 5; round++) {
    assert.equal(await here.verify('mng_wrong'), undefined)
    const { secret } = await there.create('a', ['read'], null)
    assert.equal((await here.verify(secret))?.expired, false)
  }
})

test('a flood of wrong tokens causes few calls of the store', async (t) => {
  const { tokens: store } = await temporaryStore(t)
  let calls = 0
  const counted = { ...store, revision: () => store.revision().finally(() => (calls += 1)) }
  const tokens = createTokens(counted)
  const wrong = Array.from({ length: 500 }, (_, index) => tokens.verify(`mng_${index}`))
  assert.ok((await Promise.all(wrong)).every((found) => found === undefined))
  assert.ok(calls < 50, String(calls))
})

test('while the store is unavailable no token is accepted', async (t) => {
  const store = await temporaryStore(t)
  const tokens = createTokens(store.tokens)
  const { secret } = await tokens.create('a', ['read'], null)
  await tokens.authenticate(`Bearer ${secret}`, 'read')
  await store.close()
  const authenticate = () =>
    tokens.authenticate(`Bearer ${secret}`, 'read').then(
      () => undefined,
      (error) => error,
    )
  await until(async () => (await authenticate()) instanceof StoreUnavailable)
})

test('the last use is recorded at most once a minute', async (t) => {
  const { tokens: store } = await temporaryStore(t)
  let now = Date.now()
  let recorded = 0
  const tokens = createTokens(
    { ...store, markUsed: (id, at) => store.markUsed(id, at).finally(() => (recorded += 1)) },
    { clock: () => now },
  )
  const { secret } = await tokens.create('a', ['read'], null)
  for (let index = 0; index < 20; index += 1) await tokens.authenticate(`Bearer ${secret}`, 'read')
  now += 61_000
  await tokens.authenticate(`Bearer ${secret}`, 'read')
  await until(() => recorded === 2)
  assert.equal((await tokens.list())[0]?.lastUsedAt, now)
  // The clock was an hour ahead.
  now -= 3_600_000
  await tokens.authenticate(`Bearer ${secret}`, 'read')
  await until(() => recorded === 3)
  assert.equal((await tokens.list())[0]?.lastUsedAt, now)
})

test('a token with an invalid label is not created', async (t) => {
  const { tokens: store } = await temporaryStore(t)
  const tokens = createTokens(store)
  await assert.rejects(tokens.create('', ['read'], null), InvalidBody)
  await assert.rejects(tokens.create('a\u001b[2J', ['read'], null), InvalidBody)
  assert.deepEqual(await tokens.list(), [])
})
