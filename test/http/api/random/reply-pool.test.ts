import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createReplyPool } from '../../../../src/http/api/random/reply-pool.ts'
import { json } from '../../../../src/http/kernel/replies.ts'

function start() {
  let built = 0
  let revision = 1
  const take = createReplyPool({
    build: (kind, base) => {
      if (kind === 'unicorn') throw new Error('unknown')
      return json({ kind, base, number: built++, revision })
    },
    revision: () => revision,
  })
  const ask = (now: number, kind = 'cat', base = 'http://a') => JSON.parse(String(take(kind, base, now).body))
  return { ask, built: () => built, change: () => revision++ }
}

test('without high load every reply is built for its request', () => {
  const { ask, built } = start()
  for (let i = 0; i < 5; i++) assert.equal(ask(i * 1000).number, i)
  assert.equal(built(), 5)
})

test('under high load batches grow up to a maximum, and each reply is used once', () => {
  const { ask, built } = start()
  const numbers = Array.from({ length: 1000 }, (_, i) => ask(i / 10).number)
  assert.equal(new Set(numbers).size, 1000)
  assert.ok(built() >= 1000 && built() <= 1064, String(built()))
})

test('replies for another host or for older content are not used', () => {
  const { ask, change } = start()
  for (let i = 0; i < 100; i++) ask(0)
  assert.equal(ask(0, 'cat', 'http://b').base, 'http://b')
  assert.equal(ask(0).base, 'http://a')
  change()
  assert.equal(ask(0).revision, 2)
  assert.throws(() => ask(0, 'unicorn'), /unknown/)
})
