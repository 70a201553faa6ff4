import sharp from 'sharp'
import { type AnimalKind, artistKinds, describe, draw, SIZE } from '../../../packages/artist/src/index.ts'
import { createFairSemaphore } from '../../platform/concurrency/index.ts'
import type { Artist } from './types.ts'

const WAIT_TIMEOUT_MS = 30_000

/** The built-in artist. It renders `concurrency` drawings at a time; beyond `maxWaiting` requests fail with BUSY. */
export function createArtist(concurrency: number, maxWaiting = 64): Artist {
  const semaphore = createFairSemaphore({
    maxRunning: concurrency,
    maxRunningPerGroup: concurrency,
    maxWaiting,
    waitTimeoutMs: WAIT_TIMEOUT_MS,
    computeRetryAfter: () => 1,
  })
  return {
    kinds: artistKinds,
    describe: (kind, seed) => describe(kind as AnimalKind, seed),
    async render(kind, seed, format) {
      const svg = draw(kind as AnimalKind, seed)
      if (format === 'svg') return Buffer.from(svg)
      using _slot = await semaphore.acquire([])
      return await renderSvg(svg, format, SIZE)
    },
  }
}

/** sharp rasterizes an SVG at the target size, so large pictures stay sharp. */
export async function renderSvg(svg: string, format: 'png' | 'webp', size: number): Promise<Buffer> {
  const image = sharp(Buffer.from(svg)).resize(size, size)
  return format === 'png'
    ? image.png({ compressionLevel: 7 }).toBuffer()
    : image.webp({ quality: 86, effort: 2 }).toBuffer()
}

const SHEET_GAP = 6

/**
 * Many drawings of one kind in one picture, for review by eye. `cell` is the number of pixels per side of one drawing;
 * the seeds are `firstSeed` and the following numbers.
 */
export async function renderContactSheet(
  kind: AnimalKind,
  { columns, rows, cell, firstSeed }: Record<'columns' | 'rows' | 'cell' | 'firstSeed', number>,
): Promise<Buffer> {
  const step = cell + SHEET_GAP
  const cells = []
  for (let i = 0; i < columns * rows; i++) {
    const input = await renderSvg(draw(kind, String(firstSeed + i)), 'png', cell)
    cells.push({ input, left: SHEET_GAP + (i % columns) * step, top: SHEET_GAP + Math.floor(i / columns) * step })
  }
  const size = { width: columns * step + SHEET_GAP, height: rows * step + SHEET_GAP }
  return sharp({ create: { ...size, channels: 3, background: '#ffffff' } })
    .composite(cells)
    .png()
    .toBuffer()
}
