import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createReady } from '../../../../src/http/api/random/reply-pool.ts'
import { json } from '../../../../src/http/kernel/replies.ts'

function start() {
  let made = 0
  let revision = 1
  const ready = createReady({
    make: (kind, base) => {
      if (kind === 'unicorn') throw new Error('unknown')
      return json({ kind, base, number: made++, revision })
    },
    revision: () => revision,
  })
  const ask = (now: number, kind = 'cat', base = 'http://a') => JSON.parse(String(ready(kind, base, now).body))
  return { ask, made: () => made, change: () => revision++ }
}

test('who comes alone gets a reply that is made then', () => {
  const { ask, made } = start()
  for (let i = 0; i < 5; i++) assert.equal(ask(i * 1000).number, i)
  assert.equal(made(), 5)
})

test('in a rush ever more are made at a time, up to a bound, and each is given out once', () => {
  const { ask, made } = start()
  const numbers = Array.from({ length: 1000 }, (_, i) => ask(i / 10).number)
  assert.equal(new Set(numbers).size, 1000)
  assert.ok(made() >= 1000 && made() <= 1064, String(made()))
})

test('another host or other content gets none of those that wait', () => {
  const { ask, change } = start()
  for (let i = 0; i < 100; i++) ask(0)
  assert.equal(ask(0, 'cat', 'http://b').base, 'http://b')
  assert.equal(ask(0).base, 'http://a')
  change()
  assert.equal(ask(0).revision, 2)
  assert.throws(() => ask(0, 'unicorn'), /unknown/)
})
