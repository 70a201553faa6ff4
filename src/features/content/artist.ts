import { LRUCache } from 'lru-cache'
import sharp from 'sharp'
import { type AnimalKind, artistKinds, describe, draw, SIZE } from '../../../packages/artist/src/index.ts'
import { createFairSemaphore } from '../../platform/concurrency/index.ts'
import type { Artist } from './types.ts'

export interface ArtistOptions {
  /** Of rendered drawings in the cache. */
  maxBytes: number
  /** Drawings that are rendered at a time. */
  concurrency: number
  /** Drawings that may wait; further ones fail with BUSY. */
  maxWaiting?: number
}

/** Pixels per side; 1024 limits one rendering to 4 MB of pixels. */
const sizes = { min: 16, max: 1024, default: SIZE } as const

const WAIT_TIMEOUT_MS = 30_000

const isValidSize = (size: number) => Number.isInteger(size) && size >= sizes.min && size <= sizes.max

/** The built-in artist, with a cache of rendered drawings. */
export function createArtist({ maxBytes, concurrency, maxWaiting = 64 }: ArtistOptions): Artist {
  // Keys count, too: a seed may be as long as a URL.
  const rendered = new LRUCache<string, Buffer>({
    maxSize: maxBytes,
    sizeCalculation: (bytes, key) => bytes.length + key.length,
  })
  const inProgress = new Map<string, Promise<Buffer>>()
  const semaphore = createFairSemaphore({
    maxRunning: concurrency,
    maxRunningPerKey: concurrency,
    maxWaiting,
    waitTimeoutMs: WAIT_TIMEOUT_MS,
    computeRetryAfter: () => 1,
  })
  const renderInTurn = async (svg: string, format: PixelFormat, size: number) => {
    using _slot = await semaphore.acquire('')
    return await renderSvg(svg, format, size)
  }

  return {
    kinds: artistKinds,
    describe: (kind, seed) => describe(kind as AnimalKind, seed),
    async render(kind, seed, format, size = sizes.default) {
      if (format === 'svg') return Buffer.from(draw(kind as AnimalKind, seed))
      if (!isValidSize(size)) throw new RangeError(`The size must be an integer from ${sizes.min} to ${sizes.max}.`)
      const key = `${kind}/${format}/${size}/${seed}`
      const existing = rendered.get(key) ?? inProgress.get(key)
      if (existing) return existing
      const rendering = renderInTurn(draw(kind as AnimalKind, seed), format, size)
        .then((bytes) => {
          rendered.set(key, bytes)
          return bytes
        })
        .finally(() => inProgress.delete(key))
      inProgress.set(key, rendering)
      return rendering
    },
  }
}

type PixelFormat = 'png' | 'webp'

/** sharp rasterizes an SVG at the target size, so large pictures stay sharp. */
export async function renderSvg(svg: string, format: PixelFormat, size: number): Promise<Buffer> {
  const image = sharp(Buffer.from(svg)).resize(size, size)
  return format === 'png'
    ? image.png({ compressionLevel: 7 }).toBuffer()
    : image.webp({ quality: 86, effort: 2 }).toBuffer()
}

export interface ContactSheetOptions {
  columns: number
  rows: number
  /** Pixels per side of one drawing. */
  cell: number
  /** The seeds are this number and the following ones. */
  firstSeed: number
}

const SHEET_GAP = 6

/** Many drawings of one kind in one picture, for review by eye. */
export async function renderContactSheet(
  kind: AnimalKind,
  { columns, rows, cell, firstSeed }: ContactSheetOptions,
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
