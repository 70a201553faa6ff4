import {
  type AnimalKind,
  artistKinds,
  createTagMatcher,
  describe,
  draw,
  listTags,
  SIZE,
} from '../../../packages/artist/src/index.ts'
import { renderSvg } from '../../platform/image-formats/index.ts'
import type { Artist } from './types.ts'

type RenderSvg = (...parameters: [...Parameters<typeof renderSvg>, client?: string]) => Promise<Buffer>

/** The built-in artist. A service passes a `render` that works in another process. */
export const createArtist = (render: RenderSvg = renderSvg): Artist => ({
  kinds: artistKinds,
  listTags: (kind) => listTags(kind as AnimalKind),
  createTagMatcher: (kind, ...tags) => createTagMatcher(kind as AnimalKind, ...tags),
  describe: (kind, seed, options) => describe(kind as AnimalKind, seed, options),
  async render(kind, seed, type, client, options) {
    const svg = Buffer.from(draw(kind as AnimalKind, seed, options))
    return type === 'svg' ? svg : render(svg, type, options?.size ?? SIZE, client)
  },
})

const SHEET_GAP = 6

/**
 * Many drawings of one kind in one picture, for review by eye. `cell` is the number of pixels per side of one drawing;
 * the seeds are `firstSeed` and the following numbers.
 */
export async function renderContactSheet(
  kind: AnimalKind,
  { columns, rows, cell, firstSeed }: Record<'columns' | 'rows' | 'cell' | 'firstSeed', number>,
): Promise<Buffer> {
  const { default: sharp } = await import('sharp')
  const step = cell + SHEET_GAP
  const cells = []
  for (let i = 0; i < columns * rows; i++) {
    const input = await renderSvg(Buffer.from(draw(kind, String(firstSeed + i))), 'png', cell)
    cells.push({ input, left: SHEET_GAP + (i % columns) * step, top: SHEET_GAP + Math.floor(i / columns) * step })
  }
  const size = { width: columns * step + SHEET_GAP, height: rows * step + SHEET_GAP }
  return sharp({ create: { ...size, channels: 3, background: '#ffffff' } })
    .composite(cells)
    .png()
    .toBuffer()
}
