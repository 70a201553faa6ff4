import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Box, listBoxes } from '../../../packages/artist/src/boxes.ts'
import { contrast } from '../../../packages/artist/src/colour.ts'
import { fleeces } from '../../../packages/artist/src/kinds/alpaca/wool.ts'
import { catColours } from '../../../packages/artist/src/kinds/cat/coats.ts'
import { dogCoats } from '../../../packages/artist/src/kinds/dog/coats.ts'
import { fishSpecies, type Species } from '../../../packages/artist/src/kinds/fish/species/index.ts'
import { foxColours } from '../../../packages/artist/src/kinds/fox/head.ts'
import { createChance } from '../../../packages/artist/src/random.ts'
import { landScenes } from '../../../packages/artist/src/scenes/land.ts'
import { placeCloud, placeSun } from '../../../packages/artist/src/scenes/parts.ts'
import { chooseScheme, type Scene, standsOut } from '../../../packages/artist/src/scenes/scene.ts'
import { placeBlade } from '../../../packages/artist/src/scenes/water/parts.ts'
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
  for (const [name, { water, varieties }] of Object.entries<Species>(fishSpecies)) {
    const scenes = Object.values<WaterScene>(waterScenes).filter((scene) => water.includes(scene.water))
    for (const [variety, { body, fins }] of varieties) {
      const count = scenes.filter((scene) => standsOut(scene, [body, fins])).length
      assert.ok(count >= 1, `${variety} ${name}`)
    }
  }
})

test('every species has four colourings and three markings', () => {
  for (const [name, { varieties, markings }] of Object.entries<Species>(fishSpecies)) {
    assert.deepEqual([varieties.length, markings.length], [4, 3], name)
  }
})

const overlap = (a: Box, b: Box) => a[0] < b[2] && a[2] > b[0] && a[1] < b[3] && a[3] > b[1]

test('sun and clouds keep clear of the animal and of each other, or are not drawn', () => {
  assert.equal(placeSun([[0, 0, 512, 512]], [100, 100], 40, '#fd8'), '')
  let drawn = 0
  for (let i = 0; i < 100; i++) {
    const chance = createChance(`places ${i}`)
    const [x, y] = [chance.between('x', 0, 400), chance.between('y', 0, 300)]
    const animal: Box = [x, y, x + chance.between('width', 40, 300), 512]
    const occupied = [animal]
    const things = [placeSun(occupied, [86, 90], 40, '#fd8'), placeCloud(occupied, [250, 60], 50, 0.7)]
    const [sun, cloud] = things.map(listBoxes)
    for (const box of [...sun!, ...cloud!]) assert.equal(overlap(box, animal), false, `${box} and ${animal}`)
    assert.ok(!sun!.some((box) => cloud!.some((other) => overlap(box, other))))
    drawn += sun!.length > 0 ? 1 : 0
  }
  assert.ok(drawn > 50, `${drawn}`)
})

test('a plant ends below the fish', () => {
  const fish: Box = [60, 100, 300, 380]
  const [box] = listBoxes(placeBlade([fish], 100, 490, 190, 12, '#5a7', 1))
  assert.ok(box![1] > fish[3] && box![1] < 440, `${box}`)
  assert.equal(placeBlade([[60, 100, 300, 470]], 100, 490, 190, 12, '#5a7', 1), '')
})
