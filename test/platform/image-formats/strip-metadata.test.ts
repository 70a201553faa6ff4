import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import sharp from 'sharp'
import { ImageTooManyPixels } from '../../../src/errors/index.ts'
import { stripMetadata } from '../../../src/platform/image-formats/index.ts'
import { filtered, greatestDifference } from '../../features/filters/oracle.ts'
import { job, picture, pixelsOf, startEngine } from '../../features/images/engine-kit.ts'
import { pngChunk } from '../../kit/broken-pictures.ts'
import {
  circularExif,
  jpegWithExif,
  longTexts,
  pngWith,
  tiffOfPages,
  webpOfFrames,
  webpWithExif,
} from '../../kit/decoder-bombs.ts'
import { createPhotograph } from '../../kit/frames.ts'

const [width, height] = [12, 8] as const
const photo = createPhotograph(width, height)
const jpeg = await picture(photo).jpeg().toBuffer()
const webp = await picture(photo).webp({ lossless: true }).toBuffer()

suite('files that would keep a decoder busy', () => {
  // Without stripping, each of these files took longer.
  const engine = startEngine({ after }, { decodeTimeoutMs: 5000 })

  test('long texts in a PNG are never decompressed', async () => {
    const result = await engine.process(job(pngWith(...longTexts(200, 50_000_000))))
    assert.deepEqual([result.width, result.height], [8, 8])
  })

  const turned = {
    PNG: pngWith(pngChunk('eXIf', circularExif(60_000))),
    JPEG: jpegWithExif(jpeg, circularExif(5000)),
    WebP: webpWithExif(webp, width, height, circularExif(60_000)),
  }
  for (const [format, bytes] of Object.entries(turned)) {
    test(`EXIF in a ${format} with circular directories only rotates the image`, async () => {
      const result = await engine.process(job(bytes))
      assert.deepEqual([result.width, result.height], format === 'PNG' ? [8, 8] : [height, width])
    })
  }

  test('surplus frames of a WebP are not decoded', () =>
    assert.rejects(
      engine.process(job(webpOfFrames(webp, width, height, 100_000))),
      new ImageTooManyPixels('frames', 500),
    ))

  test('the pages of a TIFF after the first are not visited', async () => {
    const bytes = tiffOfPages(3)
    assert.equal((await sharp(bytes).metadata()).pages, 3)
    assert.equal((await sharp(stripMetadata('tiff', bytes, 500)).metadata()).pages, 1)
    assert.equal((await engine.process(job(tiffOfPages(100_000)))).width, 1)
  })

  test('EXIF of an AVIF is hidden from the decoder', async () => {
    const bytes = await picture(photo)
      .withExif({ IFD0: { Copyright: 'me' } })
      .avif()
      .toBuffer()
    assert.ok((await sharp(bytes).metadata()).exif)
    assert.equal((await sharp(stripMetadata('avif', Buffer.from(bytes), 500)).metadata()).exif, undefined)
    assert.equal((await engine.process(job(bytes))).width, width)
  })

  for (const format of ['png', 'webp', 'jpeg'] as const) {
    test(`a ${format} is rotated by its EXIF orientation`, async () => {
      for (let orientation = 1; orientation <= 8; orientation++) {
        const lossless = format === 'webp' ? { lossless: true } : {}
        const bytes = await picture(photo).withMetadata({ orientation }).toFormat(format, lossless).toBuffer()
        const upright = await pixelsOf(await sharp(bytes).autoOrient().png().toBuffer())
        const result = await engine.process(job(bytes, 'invert', { output: 'png' }))
        assert.equal(greatestDifference(await pixelsOf(result.bytes), filtered(upright, 'invert')), 0)
      }
    })
  }
})

const nothing = Buffer.alloc(0)

test('PNG chunks that affect colours, and critical chunks, are kept', () => {
  const needed = ['gAMA', 'cHRM', 'sRGB', 'iCCP', 'sBIT', 'PLTE', 'tRNS', 'XXXX'].map((name) => pngChunk(name, nothing))
  const others = ['tEXt', 'zTXt', 'iTXt', 'sPLT', 'tIME', 'pHYs', 'fcTL', 'abCd'].map((name) => pngChunk(name, nothing))
  const both = needed.flatMap((chunk, nth) => [others[nth]!, chunk])
  assert.deepEqual(Buffer.from(stripMetadata('png', pngWith(...both), 1)), pngWith(...needed))
})

test('a PNG without metadata stays unchanged, even if it is cut off', () => {
  const whole = pngWith(pngChunk('gAMA', nothing))
  for (const bytes of [whole, whole.subarray(0, -7), whole.subarray(0, 20), whole.subarray(0, 8)]) {
    const stripped = stripMetadata('png', new Uint8Array(bytes), 1)
    assert.deepEqual(Buffer.from(stripped), bytes)
  }
})
