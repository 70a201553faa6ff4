import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contrast } from '../../../src/content/artist/colour.ts'
import { fleeces } from '../../../src/content/artist/kinds/alpaca/fleece.ts'
import { plumages } from '../../../src/content/artist/kinds/bird/species.ts'
import { catColours } from '../../../src/content/artist/kinds/cat/coats.ts'
import { dogCoats } from '../../../src/content/artist/kinds/dog/coats.ts'
import { fishColours } from '../../../src/content/artist/kinds/fish/colours.ts'
import { foxColours } from '../../../src/content/artist/kinds/fox/head.ts'
import { chanceOf } from '../../../src/content/artist/random.ts'
import { landScenes } from '../../../src/content/artist/scenes/land.ts'
import { type Scene, schemeFor } from '../../../src/content/artist/scenes/scene.ts'
import { waterScenes } from '../../../src/content/artist/scenes/water.ts'
import { sketchOf } from '../../../src/content/artist/sketch.ts'

const landCoats = [
  ...Object.values(catColours).map(({ base }) => base),
  ...Object.values(foxColours).map(({ base }) => base),
  ...Object.values(dogCoats).flatMap((coats) => Object.values(coats).map(([, base]) => base)),
  ...[...Object.values(fleeces), ...Object.values(plumages)].map(([main]) => main),
]
const waterCoats = Object.values(fishColours).map(([body]) => body)

function assertStandsOut(scenes: Record<string, Scene>, coats: readonly string[]) {
  for (const [name, scene] of Object.entries(scenes)) {
    for (const coat of coats) {
      for (const seed of ['a', 'b', 'c', 'd']) {
        const { sky, far, mid } = schemeFor(scene, [coat], sketchOf(chanceOf(seed)))
        const least = Math.min(...[sky, far, mid].map((colour) => contrast(coat, colour)))
        assert.ok(least >= 105, `${coat} before ${name}: ${least}`)
      }
    }
  }
}

test('every coat stands out from every background on land', () => assertStandsOut(landScenes, landCoats))

test('every fish stands out from every water', () => assertStandsOut(waterScenes, waterCoats))
