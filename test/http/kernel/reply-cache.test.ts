import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createReplyCache, json, readText, text } from '../../../src/http/kernel/replies.ts'

describe('the reply cache', () => {
  it('builds a reply once per key until the revision changes', () => {
    let revision = 1
    let built = 0
    const cache = createReplyCache({ maxEntries: 10, maxBytes: 1000, revision: () => revision })
    const get = (key: string) => JSON.parse(readText(cache.get(key, () => json({ key, number: ++built }))))
    assert.deepEqual(
      [get('a'), get('b'), get('a')].map(({ number }) => number),
      [1, 2, 1],
    )
    revision++
    assert.deepEqual(
      [get('a'), get('a')],
      [
        { key: 'a', number: 3 },
        { key: 'a', number: 3 },
      ],
    )
  })

  it('drops the replies that were used least recently when there are too many or they are too large', () => {
    const built: string[] = []
    const cache = createReplyCache({ maxEntries: 3, maxBytes: 100 })
    const get = (key: string, length = 1) =>
      cache.get(key, () => {
        built.push(key)
        return text('x'.repeat(length), 'text/plain')
      })
    for (const key of ['a', 'b', 'c', 'a', 'd', 'a', 'b']) get(key)
    assert.deepEqual(built, ['a', 'b', 'c', 'd', 'b'])
    get('large', 90)
    get('also large', 90)
    get('large', 90)
    assert.deepEqual(built.slice(5), ['large', 'also large', 'large'])
    // Larger than the cache itself: sent, never stored.
    assert.equal(get('huge', 200).length, 200)
  })

  it('stores no error', () => {
    const cache = createReplyCache({ maxEntries: 3, maxBytes: 100 })
    const fail = () => {
      throw new Error('not published')
    }
    assert.throws(() => cache.get('a', fail), /not published/)
    assert.equal(cache.get('a', () => json({})).status, 200)
  })
})
