import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import sharp from 'sharp'
import { ImageTooManyPixels } from '../../../../src/errors/index.ts'
import { defuse } from '../../../../src/features/images/engine/strip-metadata/index.ts'
import { pngChunk } from '../../../kit/broken-pictures.ts'
import {
  endlessExif,
  jpegWithExif,
  longTexts,
  pngWith,
  tiffOfPages,
  webpOfFrames,
  webpWithExif,
} from '../../../kit/decoder-bombs.ts'
import { photograph } from '../../../kit/frames.ts'
import { filtered, greatestDifference } from '../../filters/oracle.ts'
import { job, picture, pixelsOf, startEngine } from './start.ts'

const [width, height] = [12, 8] as const
const photo = photograph(width, height)
const jpeg = await picture(photo).jpeg().toBuffer()
const webp = await picture(photo).webp({ lossless: true }).toBuffer()

suite('what a decoder would toil at', () => {
  // Less than any of them took.
  const engine = startEngine({ after }, { decodeTimeoutMs: 5000 })

  test('long texts in a PNG are never inflated', async () => {
    const result = await engine.process(job(pngWith(...longTexts(200, 50_000_000))))
    assert.deepEqual([result.width, result.height], [8, 8])
  })

  const turned = {
    PNG: pngWith(pngChunk('eXIf', endlessExif(60_000))),
    JPEG: jpegWithExif(jpeg, endlessExif(5000)),
    WebP: webpWithExif(webp, width, height, endlessExif(60_000)),
  }
  for (const [format, bytes] of Object.entries(turned)) {
    test(`EXIF in a ${format} that leads round and round turns the picture and does nothing else`, async () => {
      const result = await engine.process(job(bytes))
      assert.deepEqual([result.width, result.height], format === 'PNG' ? [8, 8] : [height, width])
    })
  }

  test('more frames of a WebP than are read are not gone through', () =>
    assert.rejects(
      engine.process(job(webpOfFrames(webp, width, height, 100_000))),
      new ImageTooManyPixels('frames', 500),
    ))

  test('the pages of a TIFF behind the first are not counted', async () => {
    const bytes = tiffOfPages(3)
    assert.equal((await sharp(bytes).metadata()).pages, 3)
    assert.equal((await sharp(defuse(bytes, 'tiff', 500)).metadata()).pages, 1)
    assert.equal((await engine.process(job(tiffOfPages(100_000)))).width, 1)
  })

  test('EXIF of an AVIF is hidden from the decoder', async () => {
    const bytes = await picture(photo)
      .withExif({ IFD0: { Copyright: 'me' } })
      .avif()
      .toBuffer()
    assert.ok((await sharp(bytes).metadata()).exif)
    assert.equal((await sharp(defuse(Buffer.from(bytes), 'avif', 500)).metadata()).exif, undefined)
    assert.equal((await engine.process(job(bytes))).width, width)
  })

  for (const format of ['png', 'webp', 'jpeg'] as const) {
    test(`a ${format} is turned as its EXIF says`, async () => {
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

test('of a PNG all is kept that decides its colours, and that a decoder must know', () => {
  const needed = ['gAMA', 'cHRM', 'sRGB', 'iCCP', 'sBIT', 'PLTE', 'tRNS', 'XXXX'].map((name) => pngChunk(name, nothing))
  const others = ['tEXt', 'zTXt', 'iTXt', 'sPLT', 'tIME', 'pHYs', 'fcTL', 'abCd'].map((name) => pngChunk(name, nothing))
  const both = needed.flatMap((chunk, nth) => [others[nth]!, chunk])
  assert.deepEqual(Buffer.from(defuse(pngWith(...both), 'png', 1)), pngWith(...needed))
})

test('a PNG with nothing to leave out stays where and as it is, also where it is cut off', () => {
  const whole = pngWith(pngChunk('gAMA', nothing))
  for (const bytes of [whole, whole.subarray(0, -7), whole.subarray(0, 20), whole.subarray(0, 8)]) {
    const defused = defuse(new Uint8Array(bytes), 'png', 1)
    assert.deepEqual(Buffer.from(defused), bytes)
  }
})
