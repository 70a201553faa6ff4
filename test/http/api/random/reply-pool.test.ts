import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createReplyPool } from '../../../../src/http/api/random/endpoint.ts'
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
  const takeJson = (now: number, kind = 'cat', base = 'http://a') => JSON.parse(String(take(kind, base, now)?.body))
  return { takeJson, built: () => built, change: () => revision++ }
}

test('without high load every reply is built for its request', () => {
  const { takeJson, built } = start()
  for (let i = 0; i < 5; i++) assert.equal(takeJson(i * 1000).number, i)
  assert.equal(built(), 5)
})

test('under high load batches grow up to a maximum, and each reply is used once', () => {
  const { takeJson, built } = start()
  const numbers = Array.from({ length: 1000 }, (_, i) => takeJson(i / 10).number)
  assert.equal(new Set(numbers).size, 1000)
  assert.ok(built() >= 1000 && built() <= 1064, String(built()))
})

test('requests with alternating hosts have no reply built that is not used', () => {
  const { takeJson, built } = start()
  for (let i = 0; i < 100; i++) takeJson(0, 'cat', `http://${i % 2}`)
  assert.equal(built(), 100)
})

test('replies for another host or for older content are not used', () => {
  const { takeJson, change } = start()
  for (let i = 0; i < 100; i++) takeJson(0)
  assert.equal(takeJson(0, 'cat', 'http://b').base, 'http://b')
  assert.equal(takeJson(0).base, 'http://a')
  change()
  assert.equal(takeJson(0).revision, 2)
  assert.throws(() => takeJson(0, 'unicorn'), /unknown/)
})
