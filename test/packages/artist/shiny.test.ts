import assert from 'node:assert/strict'
import { test } from 'node:test'
import { artistKinds, describe, draw } from '../../../packages/artist/src/index.ts'
import { recolour, shinyMainColours } from '../../../packages/artist/src/shiny.ts'

const seeds = Array.from({ length: 200 }, (_, i) => String(i))

for (const kind of artistKinds) {
  test(`${kind}: about one animal in 60 is shiny, and its description says so`, () => {
    const shiny = seeds.filter((seed) => describe(kind, seed).tags.includes('shiny'))
    assert.ok(shiny.length >= 1 && shiny.length < 10, `${shiny.length}`)
    for (const seed of shiny) {
      const { alt, tags } = describe(kind, seed)
      assert.match(alt, /sparkling (golden|iridescent|starry)/)
      assert.ok(tags.includes(/sparkling (\w+)/.exec(alt)![1]!))
      const picture = draw(kind, seed, { background: 'none' })
      assert.ok(shinyMainColours.some((colour) => picture.includes(colour)))
    }
  })
}

test('recolouring keeps the order of brightness and leaves other values alone', () => {
  const coat = { base: '#a9b0be', marks: '#747d92', chest: '#fffaf2', pattern: 'plain' }
  assert.equal(recolour('none', coat.base, coat), coat)
  assert.deepEqual(recolour('golden', coat.base, coat), {
    base: '#fb4',
    marks: '#c37f26',
    chest: '#ffeecc',
    pattern: 'plain',
  })
})
