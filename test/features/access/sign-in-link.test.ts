import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSignInLinks, createTokens } from '../../../src/features/access/index.ts'
import type { Scope } from '../../kit/scope.ts'
import { temporaryStore } from '../../kit/store.ts'

const MINUTE = 60_000

async function openLinks(t: Scope) {
  const time = { now: Date.now() }
  const clock = () => time.now
  const { tokens: store } = await temporaryStore(t)
  const tokens = createTokens(store, { clock })
  return { time, store, tokens, links: createSignInLinks(tokens, { clock }) }
}

test('a sign-in link gives one session of 12 hours with all scopes', async (t) => {
  const { links, tokens, time } = await openLinks(t)
  const link = links.create()
  assert.equal(await links.redeem('mngl_wrong'), undefined)
  const session = await links.redeem(link)
  const { label, scopes, expiresAt } = await tokens.authenticate(`Bearer ${session?.secret}`, 'publish')
  assert.deepEqual([label, scopes, expiresAt], ['sign-in link', ['read', 'write', 'publish'], time.now + 720 * MINUTE])
  assert.equal(await links.redeem(link), undefined, 'a second use')
  assert.equal((await tokens.list()).length, 1)
})

test('of many uses of a sign-in link at once, one succeeds', async (t) => {
  const { links } = await openLinks(t)
  const link = links.create()
  const sessions = await Promise.all(Array.from({ length: 20 }, () => links.redeem(link)))
  assert.equal(sessions.filter(Boolean).length, 1)
})

test('a sign-in link expires after 10 minutes, and when another one is created', async (t) => {
  const { links, time } = await openLinks(t)
  const late = links.create()
  time.now += 10 * MINUTE
  assert.equal(await links.redeem(late), undefined)
  const early = links.create()
  time.now -= 10 * MINUTE
  assert.equal(await links.redeem(early), undefined, 'the clock was set back')
  const replaced = links.create()
  const current = links.create()
  time.now += 10 * MINUTE - 1
  assert.equal(await links.redeem(replaced), undefined)
  assert.ok(await links.redeem(current))
})

test('a session that has expired is removed by the next one; other tokens stay', async (t) => {
  const { links, tokens, time } = await openLinks(t)
  const { token: other } = await tokens.create('laptop', ['read'], time.now + MINUTE)
  await links.redeem(links.create())
  await links.redeem(links.create())
  assert.equal((await tokens.list()).length, 3)
  time.now += 720 * MINUTE
  await links.redeem(links.create())
  const left = await tokens.list()
  assert.deepEqual(left.map(({ label }) => label).sort(), ['laptop', 'sign-in link'])
  assert.ok(left.some(({ id }) => id === other.id))
})

test('a sign-in link that fails because the store is unavailable can be used again', async (t) => {
  const { store } = await openLinks(t)
  let isUnavailable = true
  const put: typeof store.put = async (records) => {
    if (isUnavailable) throw new Error('unavailable')
    return store.put(records)
  }
  const links = createSignInLinks(createTokens({ ...store, put }))
  const link = links.create()
  await assert.rejects(links.redeem(link), /unavailable/)
  isUnavailable = false
  assert.ok(await links.redeem(link))
})
