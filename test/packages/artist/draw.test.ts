import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { type AnimalKind, artistKinds, combinations, describe, draw } from '../../../packages/artist/src/index.ts'

const seeds = (count: number) => Array.from({ length: count }, (_, i) => String(i))
const anyKind = fc.constantFrom(...artistKinds)
const anySeed = fc.string({ unit: 'binary', maxLength: 60 })

test('there are six kinds', () => {
  assert.deepEqual([...artistKinds].sort(), ['alpaca', 'bird', 'cat', 'dog', 'fish', 'fox'])
})

// The digests of an edition never change after its release. Until then, UPDATE_DIGESTS=1 records them again.
const DIGESTS_FILE = join(import.meta.dirname, 'edition-1.json')
const recorded: Record<string, string> = JSON.parse(readFileSync(DIGESTS_FILE, 'utf8'))
if (process.env.UPDATE_DIGESTS) {
  after(() => writeFileSync(DIGESTS_FILE, `${JSON.stringify(recorded, null, 2)}\n`))
}

const idsOf = (svg: string) => [...svg.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)

for (const kind of artistKinds) {
  const pictures = seeds(100).map((seed) => draw(kind, seed))

  test(`${kind}: a seed always gives the same bytes`, () => {
    const named = ['', '1', 'moonlight', 'ünïcödé 🦊', 'x'.repeat(10_000)].map((seed) => draw(kind, seed))
    const digest = createHash('sha256')
      .update([...named, ...pictures].join('\n'))
      .digest('hex')
    if (process.env.UPDATE_DIGESTS) recorded[kind] = digest
    assert.equal(digest, recorded[kind])
  })

  test(`${kind}: there are at least 300,000 visibly different pictures`, () => {
    assert.ok(combinations(kind) >= 300_000, `${combinations(kind)}`)
  })

  test(`${kind}: every seed gives another picture`, () => {
    assert.equal(new Set(pictures).size, pictures.length)
  })

  test(`${kind}: a picture has about ten kilobytes`, () => {
    const sizes = pictures.map((svg) => svg.length)
    assert.ok(sizes.reduce((sum, size) => sum + size, 0) / sizes.length < 12_500)
    assert.ok(Math.max(...sizes) < 20_000)
  })

  test(`${kind}: ids are unique, and references stay inside the document`, () => {
    for (const svg of pictures) {
      const ids = idsOf(svg)
      assert.equal(new Set(ids).size, ids.length)
      for (const [, target] of svg.matchAll(/(?:url\(#|href="#)([^)"]+)/g)) assert.ok(ids.includes(target!))
      assert.doesNotMatch(svg.replace('http://www.w3.org/2000/svg', ''), /(?:https?:|data:|javascript:|href="[^#])/)
    }
  })

  test(`${kind}: a description has tags in lowercase and a colour`, () => {
    for (const seed of seeds(100)) {
      const { tags, color } = describe(kind, seed)
      assert.equal(tags[0], kind)
      assert.equal(new Set(tags).size, tags.length)
      for (const tag of tags) assert.match(tag, /^[a-z0-9][a-z0-9-]{0,49}$/)
      assert.match(color, /^#[0-9a-f]{6}$/)
    }
  })
}

test('any string is a seed, and always gives the same picture and description', () => {
  fc.assert(
    fc.property(anyKind, anySeed, (kind, seed) => {
      assert.equal(draw(kind, seed), draw(kind, seed))
      assert.deepEqual(describe(kind, seed), describe(kind, seed))
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

test('two documents share no id', () => {
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

test('a sticker is the animal without its scene, and its description says so', () => {
  for (const kind of artistKinds) {
    const [picture, sticker] = [draw(kind, 'ann'), draw(kind, 'ann', { background: 'none' })]
    const body = sticker.slice(sticker.indexOf('>') + 1, -'</svg>'.length)
    assert.ok(picture.includes(body) && sticker.length < picture.length)
    const [scene, none] = [describe(kind, 'ann'), describe(kind, 'ann', { background: 'none' })]
    assert.ok(scene.alt.startsWith(`${none.alt} `), `${scene.alt} / ${none.alt}`)
  }
})

test('the size is that of the document; a wrong option is an error', () => {
  assert.match(draw('fox', 'ann', { size: 64 }), /^<svg [^>]*width="64" height="64" viewBox="0 0 512 512"/)
  for (const size of [0, 15, 1025, 1e9, Number.NaN, 16.5, '64' as unknown as number]) {
    assert.throws(() => draw('fox', 'ann', { size }), { name: 'RangeError' })
  }
  assert.throws(() => draw('fox', 'ann', { edition: 2 }), { name: 'RangeError' })
  assert.throws(() => draw('fox', 'ann', { background: 'x' as 'none' }), { name: 'RangeError' })
})

test('composed and decomposed characters are the same seed', () => {
  assert.equal(draw('cat', 'Zoë'.normalize('NFD')), draw('cat', 'Zoë'.normalize('NFC')))
})
