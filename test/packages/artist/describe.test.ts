import assert from 'node:assert/strict'
import { test } from 'node:test'
import { artistKinds, describe } from '../../../packages/artist/src/index.ts'

const seeds = Array.from({ length: 200 }, (_, i) => `seed ${i}`)
const descriptions = artistKinds.map((kind) => [kind, seeds.map((seed) => describe(kind, seed).alt)] as const)

for (const [kind, texts] of descriptions) {
  test(`${kind}: a description is one English phrase`, () => {
    for (const words of texts) {
      assert.match(words, /^An? [a-z]/i)
      assert.match(words, /^[A-Za-z ,-]+$/)
      assert.doesNotMatch(words, /COLOUR|undefined| {2}| ,|,,|\ba [aeio]|\bAn? An?\b/)
      assert.ok(words.length < 220, words)
    }
  })

  test(`${kind}: different pictures have different descriptions`, () => {
    assert.ok(new Set(texts).size > 190)
  })
}

test('a description names accessories, pose and scene', () => {
  const words = new Map(descriptions).get('cat') ?? []
  for (const phrase of ['scarf', 'bell', 'falling snow', 'tabby', 'green eyes', 'cardboard box']) {
    assert.ok(
      words.some((text) => text.includes(phrase)),
      phrase,
    )
  }
})
