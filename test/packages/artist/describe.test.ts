import assert from 'node:assert/strict'
import { test } from 'node:test'
import { artistKinds, describe } from '../../../packages/artist/src/index.ts'

const seeds = Array.from({ length: 400 }, (_, i) => `seed ${i}`)

for (const kind of artistKinds) {
  test(`${kind}: a description is one English phrase`, () => {
    for (const seed of seeds) {
      const words = describe(kind, seed).alt
      assert.match(words, /^An? [a-z]/i)
      assert.match(words, /^[A-Za-z ,-]+$/)
      assert.doesNotMatch(words, /COLOUR|undefined| {2}| ,|,,|\ba [aeio]|\bAn? An?\b/)
      assert.ok(words.length < 220, words)
    }
  })

  test(`${kind}: different pictures have different descriptions`, () => {
    assert.ok(new Set(seeds.map((seed) => describe(kind, seed).alt)).size > 380)
  })
}

test('a description names accessories, pose and scene', () => {
  const words = seeds.map((seed) => describe('cat', seed).alt)
  for (const phrase of ['scarf', 'bell', 'falling snow', 'tabby', 'green eyes', 'cardboard box']) {
    assert.ok(
      words.some((text) => text.includes(phrase)),
      phrase,
    )
  }
})
