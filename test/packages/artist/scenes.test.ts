import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contrast } from '../../../packages/artist/src/colour.ts'
import { fleeces } from '../../../packages/artist/src/kinds/alpaca/wool.ts'
import { catColours } from '../../../packages/artist/src/kinds/cat/coats.ts'
import { dogCoats } from '../../../packages/artist/src/kinds/dog/coats.ts'
import { fishSpecies, type Species } from '../../../packages/artist/src/kinds/fish/species/index.ts'
import { foxColours } from '../../../packages/artist/src/kinds/fox/head.ts'
import { createChance } from '../../../packages/artist/src/random.ts'
import { landScenes } from '../../../packages/artist/src/scenes/land.ts'
import { chooseScheme, type Scene, standsOut } from '../../../packages/artist/src/scenes/scene.ts'
import { type WaterScene, waterScenes } from '../../../packages/artist/src/scenes/water.ts'
import { shinyMainColours } from '../../../packages/artist/src/shiny.ts'

const landCoats = [
  ...Object.values(catColours).map(({ base }) => base),
  ...Object.values(foxColours).map(({ base }) => base),
  ...Object.values(dogCoats).flatMap((coats) => Object.values(coats).map(([, base]) => base)),
  ...Object.values(fleeces).map(([main]) => main),
  ...shinyMainColours,
]

/** Lower than what `chooseScheme` prefers, because some coats only have a second-best scheme. */
const MIN_VISIBLE_CONTRAST = 105

function assertStandsOut(scenes: Record<string, Scene>, coats: readonly string[]) {
  for (const [name, scene] of Object.entries(scenes)) {
    for (const coat of coats) {
      for (const seed of ['a', 'b', 'c', 'd']) {
        const { sky, far, mid } = chooseScheme(scene, [coat], createChance(seed))
        const lowest = Math.min(...[sky, far, mid].map((colour) => contrast(coat, colour)))
        assert.ok(lowest >= MIN_VISIBLE_CONTRAST, `${coat} in front of ${name}: ${lowest}`)
      }
    }
  }
}

test('every coat has enough contrast to every land scene', () => assertStandsOut(landScenes, landCoats))

test('every fish stands out in some scenes where its species lives', () => {
  for (const { name, water, varieties } of Object.values<Species>(fishSpecies)) {
    const scenes = Object.values<WaterScene>(waterScenes).filter((scene) => water.includes(scene.water))
    for (const [variety, { body, fins }] of varieties) {
      const count = scenes.filter((scene) => standsOut(scene, [body, fins])).length
      assert.ok(count >= 1, `${variety} ${name}`)
    }
  }
})

test('every species has four colourings and three markings', () => {
  for (const { name, varieties, markings } of Object.values<Species>(fishSpecies)) {
    assert.deepEqual([varieties.length, markings.length], [4, 3], name)
  }
})
