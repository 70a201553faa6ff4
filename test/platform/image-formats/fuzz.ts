// Strips metadata from mutated files. `node test/platform/image-formats/fuzz.ts 1000000` runs more than the test does.
import assert from 'node:assert/strict'
import process from 'node:process'
import sharp from 'sharp'
import { type FormatName, stripMetadata, UnsafeImage } from '../../../src/platform/image-formats/index.ts'
import { attacksByFormat } from '../../features/images/attacks/index.ts'
import { circularExif, jpegWithExif, webpOfFrames, webpWithExif } from '../../kit/decoder-bombs.ts'
import { createRandom, mutateImage } from '../../kit/mutate-image.ts'

const MAX_FRAMES = 10
const MAX_ATTACK_BYTES = 4000
const size = { width: 12, height: 8 }
const image = () => sharp({ create: { ...size, channels: 3, background: '#369' } }).withIccProfile('p3')
const rotated = () => image().withMetadata({ orientation: 6 })

/** The attacks that are small files, at a small size. */
async function createAttacks(): Promise<[FormatName, Buffer][]> {
  const samples: [FormatName, Buffer][] = []
  for (const [format, attacks] of Object.entries(attacksByFormat)) {
    for (const { build } of attacks) samples.push([format as FormatName, await build(size.width)])
  }
  return samples.filter(([, bytes]) => bytes.length < MAX_ATTACK_BYTES)
}

async function createSamples(): Promise<[FormatName, Buffer][]> {
  const jpeg = await image().jpeg().toBuffer()
  const webp = await image().webp({ lossless: true }).toBuffer()
  const frames = await sharp({ create: { width: 12, height: 24, channels: 4, background: '#3690', pageHeight: 8 } })
    .gif({ delay: [50, 50, 50] })
    .toBuffer()
  return [
    ['jpeg', jpegWithExif(jpeg, circularExif(20))],
    ['jpeg', await rotated().jpeg({ progressive: true }).toBuffer()],
    ['png', await rotated().png({ palette: true }).toBuffer()],
    ['webp', webpWithExif(webp, size.width, size.height, circularExif(20))],
    ['webp', webpOfFrames(webp, size.width, size.height, 12)],
    ['gif', frames],
    ['avif', await image().avif().toBuffer()],
    [
      'avif',
      await rotated()
        .joinChannel(Buffer.alloc(96, 9), { raw: { ...size, channels: 1 } })
        .avif()
        .toBuffer(),
    ],
    ['tiff', await rotated().tiff().toBuffer()],
    ['tiff', await image().tiff({ bigtiff: true, tile: true }).toBuffer()],
    ...(await createAttacks()),
  ]
}

function strip(format: FormatName, bytes: Buffer): Buffer | undefined {
  try {
    return Buffer.from(stripMetadata(format, Buffer.from(bytes), MAX_FRAMES))
  } catch (error) {
    if (error instanceof UnsafeImage) return undefined
    throw error
  }
}

/** Asserts that the result is not larger, and that there is nothing left to strip. Returns the slowest time. */
export async function fuzzStripMetadata(inputs: number, seed = 1): Promise<{ slowestMs: number }> {
  const samples = await createSamples()
  const random = createRandom(seed)
  let slowestMs = 0
  for (let nth = 0; nth < inputs; nth++) {
    const [format, sample] = samples[nth % samples.length]!
    const bytes = mutateImage(sample, random)
    const startedAt = performance.now()
    try {
      const stripped = strip(format, bytes)
      slowestMs = Math.max(slowestMs, performance.now() - startedAt)
      if (!stripped) continue
      assert.ok(stripped.length <= bytes.length)
      assert.deepEqual(strip(format, stripped), stripped)
    } catch (cause) {
      throw new Error(`${format}, input ${nth} of seed ${seed}: ${bytes.toString('base64')}`, { cause })
    }
  }
  return { slowestMs }
}

if (import.meta.main) {
  const [inputs = '1000000', seed = '1'] = process.argv.slice(2)
  console.log(inputs, 'inputs:', await fuzzStripMetadata(Number(inputs), Number(seed)))
}
