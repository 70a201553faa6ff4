// Writes a PNG that shows a picture before and after each filter: node bench/filters/sheet.ts [file]

import { readFileSync } from 'node:fs'
import process from 'node:process'
import sharp, { type OverlayOptions } from 'sharp'
import { KERNELS_FILE } from '../../src/config/root.ts'
import { createKernels, type Frame, filters, findFilter } from '../../src/features/filters/index.ts'

const file = process.argv[2] ?? 'build/filters.png'
const SIZE = 240
const GAP = 12
const LABEL = 20

/** Draws a landscape with gradients, hard edges, fine lines and saturated colours. */
function drawScene(size: number): Frame {
  const data = new Uint8Array(size * size * 3)
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const sun = Math.hypot(x - size * 0.65, y - size * 0.35) < size * 0.14
      const hill = y > size * (0.68 + 0.08 * Math.sin(x / 23) + 0.03 * Math.sin(x / 7))
      const fence = y > size * 0.8 && (x % 24 < 4 || y % 30 < 3)
      const sky = [60 + (150 * y) / size, 70 + (60 * y) / size, 170 - (90 * y) / size]
      const colour = fence ? [205, 190, 170] : sun ? [250, 200, 70] : hill ? [40, 110 - y / 8, 60] : sky
      data.set(colour, (y * size + x) * 3)
    }
  }
  return { data, width: size, height: size, channels: 3 }
}

const variants = filters.flatMap(({ name }) => {
  if (name === 'blur') return [2, 5, 50].map((strength) => ({ name, strength }))
  if (name === 'contrast') return [-0.5, 0.1, 0.6, 1].map((strength) => ({ name, strength }))
  return [{ name, strength: 0 }]
})

const kernels = createKernels(readFileSync(KERNELS_FILE))
const COLUMNS = 4
const before = { title: 'before', frame: drawScene(SIZE) }
const after = variants.map(({ name, strength }) => {
  const frame = drawScene(SIZE)
  findFilter(name)!.apply(frame, kernels, strength)
  return { title: strength === 0 ? name : `${name} ${strength}`, frame }
})

const tiles = [before, ...after].flatMap(({ title, frame }, index): OverlayOptions[] => {
  const left = GAP + (index % COLUMNS) * (SIZE + GAP)
  const top = GAP + Math.floor(index / COLUMNS) * (SIZE + LABEL + GAP)
  const raw = { width: SIZE, height: SIZE, channels: 3 as const }
  const text = { text: `<span foreground="white">${title}</span>`, rgba: true, height: LABEL - 6 }
  return [
    { input: Buffer.from(frame.data), raw, left, top: top + LABEL },
    { input: { text }, left, top },
  ]
})

const rows = Math.ceil((variants.length + 1) / COLUMNS)
await sharp({
  create: {
    width: GAP + COLUMNS * (SIZE + GAP),
    height: GAP + rows * (SIZE + LABEL + GAP),
    channels: 3,
    background: '#222',
  },
})
  .composite(tiles)
  .png()
  .toFile(file)
console.log(file)
