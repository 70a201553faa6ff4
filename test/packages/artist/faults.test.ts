import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import {
  accessoryColours,
  contrast,
  frameColourOn,
  hasVisibleLines,
  INK,
  lineColourOn,
} from '../../../packages/artist/src/colour.ts'
import { describeExpression, isContradictory } from '../../../packages/artist/src/face.ts'
import { type AnimalKind, describe, draw } from '../../../packages/artist/src/index.ts'
import { isLandLookFaulty, type LandLook } from '../../../packages/artist/src/land-animal.ts'

const quadrupeds: AnimalKind[] = ['cat', 'dog', 'fox']
const seeds = Array.from({ length: 550 }, (_, i) => `seed ${i}`)

const plain: LandLook = {
  eyes: 'round',
  mouth: 'smile',
  headwear: 'none',
  neckwear: 'none',
  eyewear: 'none',
  accent: 'red',
  scene: 'room',
}

test('an accessory in the colour of the coat is refused', () => {
  const red = '#d54'
  assert.equal(isLandLookFaulty({ ...plain, neckwear: 'scarf' }, ['#d9604f']), true)
  assert.equal(isLandLookFaulty({ ...plain, neckwear: 'scarf' }, ['#4b4558']), false)
  assert.equal(accessoryColours('red', '#4b4558').main, red)
})

test('a hat in the colour of the coat is refused', () => {
  assert.equal(isLandLookFaulty({ ...plain, headwear: 'straw' }, ['#f6dcb4']), true)
  assert.equal(isLandLookFaulty({ ...plain, headwear: 'top' }, ['#4b4558']), true)
  assert.equal(isLandLookFaulty({ ...plain, headwear: 'straw' }, ['#4b4558']), false)
})

test('eyes and mouths that contradict each other are refused', () => {
  assert.equal(isLandLookFaulty({ ...plain, eyes: 'closed', mouth: 'open' }, ['#4b4558']), true)
  assert.equal(isContradictory('sleepy', 'tongue'), true)
  assert.equal(isContradictory('round', 'tongue'), false)
  assert.deepEqual(describeExpression('hidden', 'open'), ['laughing'])
})

test('closed eyes need a line that is visible on all colours below it', () => {
  assert.equal(lineColourOn('#ffffff'), INK)
  assert.equal(hasVisibleLines('#ffffff'), true)
  assert.equal(hasVisibleLines('#ffffff', '#2f2a3c'), false)
})

test('the frame of glasses is visible on all colours of a face', () => {
  for (const coat of ['#444455', '#bb8866', '#eeeecc']) {
    const frame = frameColourOn(coat, '#fffaf2')
    for (const colour of [coat, '#fffaf2']) assert.ok(contrast(frame, colour) >= 180, `${frame} on ${colour}`)
  }
})

test('a sprout in the colour of the head is refused', () => {
  assert.equal(isLandLookFaulty({ ...plain, headwear: 'leaf' }, ['#6fbf6f']), true)
  assert.equal(isLandLookFaulty({ ...plain, headwear: 'leaf' }, ['#4b4558']), false)
})

for (const kind of quadrupeds) {
  const descriptions = new Map(seeds.map((seed) => [seed, describe(kind, seed)]))

  test(`${kind}: words do not contradict each other`, () => {
    for (const { alt, tags } of descriptions.values()) {
      assert.doesNotMatch(alt, /(dozing|sleep).*(laughing|grinning|tongue|smirking|running|jumping|playing)/, alt)
      assert.doesNotMatch(alt, /^[^,]* with [^,]* with /, alt)
      assert.equal(tags.includes('sleeping'), alt.includes('dozing'), alt)
    }
  })

  test(`${kind}: no bow or bell lies on a raised leg, and no portrait hides the flowers`, () => {
    for (const { alt } of descriptions.values()) {
      assert.doesNotMatch(alt, /(bow tie|bell collar|ribbon|medal).*(running|jumping)/, alt)
      assert.doesNotMatch(alt, /portrait in a meadow/, alt)
    }
  })

  test(`${kind}: an accessory has the colour that its description names`, () => {
    let found = 0
    for (const [seed, { alt }] of descriptions) {
      const colour = /(red|orange|yellow|green|teal|blue|purple|pink) (?:scarf|bandana|woolly hat)/.exec(alt)?.[1]
      if (!colour) continue
      found++
      const { main } = accessoryColours(colour as LandLook['accent'], '#000000')
      assert.ok(draw(kind, seed).includes(main), `${seed}: ${colour}`)
    }
    assert.ok(found > 12)
  })

  test(`${kind}: all poses and general words occur as tags`, () => {
    const tags = new Set([...descriptions.values()].flatMap(({ tags }) => tags))
    const poses = ['portrait', 'sitting', 'standing', 'lying', 'box', 'running', 'jumping', 'stretching', 'playing']
    for (const tag of [...poses, 'family', 'friends', 'hat', 'glasses', 'scarf', 'sleeping', 'smiling', 'winter']) {
      assert.ok(tags.has(tag), tag)
    }
  })

  test(`${kind}: ears, hats and tails stay inside the picture`, async () => {
    const size = 128
    for (const seed of seeds.slice(0, 40)) {
      const sticker = Buffer.from(draw(kind, seed, { background: 'none', size }))
      const alpha = await sharp(sticker).extractChannel('alpha').raw().toBuffer()
      for (let i = 0; i < size; i++) {
        assert.equal(alpha[i], 0, `${seed}: top`)
        // A portrait ends at the bottom of the picture.
        if (i > size * 0.7) continue
        assert.equal(alpha[i * size], 0, `${seed}: left`)
        assert.equal(alpha[i * size + size - 1], 0, `${seed}: right`)
      }
    }
  })

  test(`${kind}: the main colour stands out from the background`, () => {
    for (const seed of seeds.slice(0, 60)) {
      const { color } = descriptions.get(seed)!
      const body = /<rect x="-600"[^>]*fill="(#[0-9a-f]+)"/.exec(draw(kind, seed))![1]!
      assert.ok(contrast(color, body) > 60, `${seed}: ${body} on ${color}`)
    }
  })
}
