import { type AnimalKind, artistKinds, describe, draw, SIZE } from '../../../packages/artist/src/index.ts'
import { createTagMatcher, listTags } from '../../../packages/artist/tags/index.ts'
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
    const text = draw(kind as AnimalKind, seed, options)
    // Not from Node's pool, because caches count the bytes that they hold.
    const svg = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
    svg.write(text)
    return type === 'svg' ? svg : render(svg, type, options?.size ?? SIZE, client)
  },
})

const SHEET_GAP = 6
const CAPTION_HEIGHT = 26
const MAX_FONT_SIZE = 10
/** Width of a character of a monospaced font. */
const WIDTH_PER_FONT_SIZE = 0.62

/** The seed, and the path of the drawing in a service. */
function drawCaption(kind: AnimalKind, seed: number, width: number): Buffer {
  const path = `/media/animals/${kind}/~${seed}.svg`
  const fontSize = Math.min(MAX_FONT_SIZE, width / (path.length * WIDTH_PER_FONT_SIZE))
  const size = `width="${width}" height="${CAPTION_HEIGHT}"`
  const font = `font-family="monospace" font-size="${fontSize}" text-anchor="middle"`
  const lines = [`seed ${seed}`, path].map((line, i) => `<text x="${width / 2}" y="${11 + 11 * i}">${line}</text>`)
  return Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${size} ${font}>${lines.join('')}</svg>`)
}

/**
 * Many drawings of one kind in one picture, each with a caption, for review by eye. `cell` is the number of pixels per
 * side of one drawing; the seeds are `firstSeed` and the following numbers.
 */
export async function renderContactSheet(
  kind: AnimalKind,
  { columns, rows, cell, firstSeed }: Record<'columns' | 'rows' | 'cell' | 'firstSeed', number>,
): Promise<Buffer> {
  const { default: sharp } = await import('sharp')
  const step = { x: cell + SHEET_GAP, y: cell + CAPTION_HEIGHT + SHEET_GAP }
  const parts = []
  for (let i = 0; i < columns * rows; i++) {
    const seed = firstSeed + i
    const [left, top] = [SHEET_GAP + (i % columns) * step.x, SHEET_GAP + Math.floor(i / columns) * step.y]
    const drawing = await renderSvg(Buffer.from(draw(kind, String(seed))), 'png', cell)
    parts.push({ input: drawing, left, top }, { input: drawCaption(kind, seed, cell), left, top: top + cell })
  }
  const size = { width: columns * step.x + SHEET_GAP, height: rows * step.y + SHEET_GAP }
  return sharp({ create: { ...size, channels: 3, background: '#ffffff' } })
    .composite(parts)
    .png()
    .toBuffer()
}
