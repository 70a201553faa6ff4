// Makes the pictures of the documents: docs/pictures/. The animals by the artist of the service, the pages by a browser
// on a service with visitors, which takes five minutes. Run it when one of them has changed.
import { join } from 'node:path'
import sharp from 'sharp'
import { artistKinds, draw } from '../packages/artist/src/index.ts'
import { renderSvg } from '../src/features/content/artist.ts'
import { photographPages } from './page-pictures.ts'

const PICTURES = join(import.meta.dirname, '..', 'docs', 'pictures')
const CELL = 168
const GAP = 8
const SEEDS: Readonly<Record<string, readonly string[]>> = {
  cat: ['1', '3', '20'],
  dog: ['6', '20', '31'],
  fox: ['1', '2', '3'],
  fish: ['1', '2', '3'],
  alpaca: ['2', '10', '38'],
  bird: ['1', '2', '3'],
}

const cells = artistKinds.flatMap((kind) => (SEEDS[kind] ?? []).map((seed) => ({ kind, seed })))
const columns = 9
const rows = Math.ceil(cells.length / columns)
const tiles = await Promise.all(
  cells.map(async ({ kind, seed }, i) => ({
    input: await renderSvg(draw(kind, seed), 'png', CELL),
    left: (i % columns) * (CELL + GAP),
    top: Math.floor(i / columns) * (CELL + GAP),
  })),
)
const size = { width: columns * (CELL + GAP) - GAP, height: rows * (CELL + GAP) - GAP }
await sharp({ create: { ...size, channels: 4, background: '#00000000' } })
  .composite(tiles)
  .webp({ quality: 88 })
  .toFile(join(PICTURES, 'animals.webp'))
await photographPages(PICTURES)
