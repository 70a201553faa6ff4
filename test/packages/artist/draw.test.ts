import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { type AnimalKind, artistKinds, combinations, describe, draw } from '../../../packages/artist/src/index.ts'

const seeds = (count: number) => Array.from({ length: count }, (_, i) => String(i))
const anyKind = fc.constantFrom(...artistKinds)
const anySeed = fc.string({ unit: 'binary', maxLength: 60 })

test('there are six kinds', () => {
  assert.deepEqual([...artistKinds].sort(), ['alpaca', 'bird', 'cat', 'dog', 'fish', 'fox'])
})

// The URL of a drawing is permanent, so these digests must never change.
const golden: Record<AnimalKind, string> = {
  cat: '485da690a230ade0d76e96f70b3c9aa7a40829e27df2177650d74420b1eacc7c',
  dog: '03be5289260092c8195d05b7211d8fecc4cf4109f2bc39ed0a6d8d4bf0c64cf5',
  fox: '433d829f018d8c2fb20d5066ba48894ae4eb843b34a0d19315a596b2149ffb93',
  fish: '41f0c46f74f19c86e190f59027a271ec34568b52c78697fda49c5317971ab10c',
  alpaca: '49c49970adc815e620285851d9903f7d37a5e27d11cc800cc7cf870522f5befe',
  bird: '99319aac18fe3ba249aa251d87dfdd0137a3c2ac1609737f35bf135f7306ee60',
}

for (const kind of artistKinds) {
  test(`${kind}: a seed always gives the same bytes`, () => {
    const pictures = ['', '1', 'moonlight', 'ünïcödé 🦊', 'x'.repeat(10_000), ...seeds(100)].map((seed) =>
      draw(kind, seed),
    )
    assert.equal(createHash('sha256').update(pictures.join('\n')).digest('hex'), golden[kind])
  })

  test(`${kind}: there are at least 300,000 visibly different pictures`, () => {
    assert.ok(combinations(kind) >= 300_000, `${combinations(kind)}`)
  })

  test(`${kind}: 2,000 seeds give 2,000 different pictures`, () => {
    assert.equal(new Set(seeds(2000).map((seed) => draw(kind, seed))).size, 2000)
  })

  test(`${kind}: a picture has about ten kilobytes`, () => {
    const sizes = seeds(300).map((seed) => draw(kind, seed).length)
    assert.ok(sizes.reduce((sum, size) => sum + size, 0) / sizes.length < 12_500)
    assert.ok(Math.max(...sizes) < 20_000)
  })
}

test('any string is a seed, and always gives the same picture and description', () => {
  fc.assert(
    fc.property(anyKind, anySeed, (kind, seed) => {
      assert.equal(draw(kind, seed), draw(kind, seed))
      assert.equal(describe(kind, seed), describe(kind, seed))
    }),
    { numRuns: 60 },
  )
})

test('a picture is an SVG document of 512 by 512 with simple shapes only', () => {
  fc.assert(
    fc.property(anyKind, anySeed, (kind, seed) => {
      const svg = draw(kind, seed)
      assert.match(
        svg,
        /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="512" height="512" viewBox="0 0 512 512"[^<]*>/,
      )
      assert.ok(svg.endsWith('</svg>'))
      assert.doesNotMatch(svg, /NaN|undefined|Infinity|null|\[object|COLOUR/)
      const names = new Set([...svg.matchAll(/<([a-zA-Z]+)/g)].map(([, name]) => name))
      const plain = ['svg', 'g', 'path', 'circle', 'ellipse', 'rect', 'clipPath', 'use']
      assert.deepEqual(
        [...names].filter((name) => !plain.includes(name!)),
        [],
      )
    }),
    { numRuns: 120 },
  )
})

test('ids are unique, references stay inside the document, and two documents share no id', () => {
  const idsOf = (svg: string) => [...svg.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)
  for (const kind of artistKinds) {
    for (const seed of seeds(150)) {
      const svg = draw(kind, seed)
      const ids = idsOf(svg)
      assert.equal(new Set(ids).size, ids.length)
      for (const [, target] of svg.matchAll(/(?:url\(#|href="#)([^)"]+)/g)) assert.ok(ids.includes(target!))
      assert.doesNotMatch(svg.replace('http://www.w3.org/2000/svg', ''), /(?:https?:|data:|javascript:|href="[^#])/)
    }
  }
  assert.deepEqual(
    idsOf(draw('cat', 'a')).filter((id) => idsOf(draw('cat', 'b')).includes(id)),
    [],
  )
})

test('an unknown kind is an error, also the name of an object property', () => {
  for (const kind of ['unicorn', '__proto__', 'constructor', 'CAT']) {
    assert.throws(() => draw(kind as AnimalKind, '1'), { name: 'RangeError' })
  }
})
