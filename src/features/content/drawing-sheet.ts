import sharp from 'sharp'
import { type AnimalKind, draw } from '../../../packages/artist/src/index.ts'
import { render } from './render-drawing.ts'

export interface SheetOptions {
  columns: number
  rows: number
  /** Side of one picture in pixels. */
  cell: number
  /** Seeds are this number and those after it. */
  firstSeed: number
}

const GAP = 6

/** Many pictures of a kind at a glance, for eyes that judge them. */
export async function contactSheet(
  kind: AnimalKind,
  { columns, rows, cell, firstSeed }: SheetOptions,
): Promise<Buffer> {
  const step = cell + GAP
  const cells = []
  for (let i = 0; i < columns * rows; i++) {
    const input = await render(draw(kind, String(firstSeed + i)), 'png', cell)
    cells.push({ input, left: GAP + (i % columns) * step, top: GAP + Math.floor(i / columns) * step })
  }
  return sharp({
    create: { width: columns * step + GAP, height: rows * step + GAP, channels: 3, background: '#ffffff' },
  })
    .composite(cells)
    .png()
    .toBuffer()
}
