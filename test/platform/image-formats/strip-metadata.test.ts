import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import sharp from 'sharp'
import { ImageTooManyPixels } from '../../../src/errors/index.ts'
import { type FormatName, stripMetadata } from '../../../src/platform/image-formats/index.ts'
import { filtered, greatestDifference } from '../../features/filters/oracle.ts'
import { job, picture, pixelsOf, startEngine } from '../../features/images/engine-kit.ts'
import { gif, pngChunk } from '../../kit/broken-pictures.ts'
import {
  avifOfFrames,
  circularExif,
  jpegOfSegments,
  jpegWithExif,
  jpegWithProfile,
  longTexts,
  pngOfChunks,
  pngWith,
  pngWithProfile,
  profileOf,
  profileOfProgram,
  riff,
  tiffOfPages,
  tiffOfTags,
  webpChunk,
  webpOfFrames,
  webpWithExif,
  webpWithProfile,
} from '../../kit/decoder-bombs.ts'
import { createPhotograph } from '../../kit/frames.ts'
import { fuzzStripMetadata } from './fuzz.ts'

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
  const needed = ['gAMA', 'cHRM', 'sRGB', 'cICP', 'sBIT', 'PLTE', 'tRNS', 'XXXX'].map((name) => pngChunk(name, nothing))
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

const strip = (format: FormatName, bytes: Uint8Array, maxFrames = 500) =>
  Buffer.from(stripMetadata(format, Uint8Array.from(bytes), maxFrames))

suite('parts that only cost memory or time are removed', () => {
  const gamma = Buffer.from([0, 0, 0xb1, 0x8f])

  test('thousands of segments of a JPEG, of every application and comments', () => {
    for (const marker of [0xe0, 0xe1, 0xe2, 0xed, 0xee, 0xef, 0xfe]) {
      assert.deepEqual(strip('jpeg', jpegOfSegments(jpeg, marker, 10_000)), strip('jpeg', jpeg))
    }
  })

  test('segments between the scans of a progressive JPEG', async () => {
    const progressive = await picture(photo).jpeg({ progressive: true }).toBuffer()
    const scan = progressive.lastIndexOf(Buffer.from([0xff, 0xda]))
    const comment = Buffer.from('\xff\xfe\0\x06text', 'latin1')
    const bytes = Buffer.concat([progressive.subarray(0, scan), comment, progressive.subarray(scan)])
    assert.deepEqual(strip('jpeg', bytes), strip('jpeg', progressive))
  })

  test('what follows the end of a JPEG or PNG', () => {
    const text = Buffer.from('PK\x03\x04 more')
    assert.deepEqual(strip('jpeg', Buffer.concat([jpeg, text])), strip('jpeg', jpeg))
    assert.deepEqual(strip('png', Buffer.concat([pngWith(), text])), pngWith())
  })

  test('repeated chunks of a PNG', () => {
    assert.deepEqual(strip('png', pngOfChunks('gAMA', gamma, 1000)), pngWith(pngChunk('gAMA', gamma)))
  })

  test('repeated chunks of a WebP, and XMP', () => {
    const once = webpOfFrames(webp, width, height, 3)
    const more = riff(once.subarray(12), webpChunk('ANIM', Buffer.alloc(6)), webpChunk('XMP ', Buffer.from('text')))
    assert.deepEqual(strip('webp', more), once)
  })

  test('comments and texts of a GIF, and control blocks without an image', async () => {
    const animation = gif(5, 5, 3)
    const comment = Buffer.from('\x21\xfe\x04text\0', 'latin1')
    const control = Buffer.from('\x21\xf9\x04\0\x63\0\0\0', 'latin1')
    const at = animation.indexOf(Buffer.from([0x21, 0xf9]))
    const parts = [animation.subarray(0, at), comment, control, control, comment, animation.subarray(at)]
    assert.deepEqual(strip('gif', Buffer.concat(parts)), animation)
  })

  test('frames of a GIF beyond the limit, but one that shows the excess', async () => {
    assert.equal((await sharp(strip('gif', gif(5, 5, 1000), 20)).metadata()).pages, 21)
  })

  test('unknown tags of a TIFF', async () => {
    const stripped = strip('tiff', tiffOfTags(4000))
    assert.equal(stripped.readUInt16LE(8), 6)
    assert.equal((await sharp(stripped).metadata()).width, 1)
  })

  test('an AVIF that repeats its frame is refused', async () => {
    const avif = await picture(photo).avif().toBuffer()
    assert.deepEqual(strip('avif', avif), avif)
    assert.throws(() => strip('avif', avifOfFrames(avif, 5)), /more than 4 frames/)
    assert.equal(strip('avif', avifOfFrames(avif, 4)).length, avifOfFrames(avif, 4).length)
  })
})

suite('colour profiles', () => {
  const program = profileOfProgram(1000)
  const formats: [FormatName, (profile: Buffer) => Buffer][] = [
    ['png', pngWithProfile],
    ['jpeg', (profile) => jpegWithProfile(jpeg, profile)],
    ['webp', (profile) => webpWithProfile(webp, width, height, profile)],
  ]

  for (const [format, build] of formats) {
    test(`a profile of a ${format} that contains a program is removed`, async () => {
      assert.ok((await sharp(build(program)).metadata()).icc)
      assert.equal((await sharp(strip(format, build(program))).metadata()).icc, undefined)
    })
  }

  test('a profile of an AVIF or TIFF that contains a program is removed', async () => {
    for (const format of ['avif', 'tiff'] as const) {
      const bytes = await picture(photo).withIccProfile('p3').toFormat(format).toBuffer()
      const { icc } = await sharp(bytes).metadata()
      const curve = bytes.indexOf('para', bytes.indexOf(icc!))
      bytes.write('mpet', curve)
      const stripped = await sharp(strip(format, bytes)).metadata()
      assert.ok(!stripped.icc?.includes('acsp'))
    }
  })

  for (const format of ['png', 'jpeg', 'webp', 'avif', 'tiff'] as const) {
    test(`the usual profiles of a ${format} are kept`, async () => {
      for (const name of ['srgb', 'p3']) {
        const bytes = await picture(photo).withIccProfile(name).toFormat(format).toBuffer()
        const { icc } = await sharp(bytes).metadata()
        assert.ok(icc)
        assert.deepEqual((await sharp(strip(format, bytes)).metadata()).icc, icc)
      }
    })
  }

  test('a CMYK profile with lookup tables is kept, in several segments', async () => {
    const bytes = await picture(photo).toColourspace('cmyk').withIccProfile('cmyk').jpeg().toBuffer()
    const { icc } = await sharp(bytes).metadata()
    assert.ok(icc && icc.length > 65_535)
    assert.deepEqual((await sharp(strip('jpeg', bytes)).metadata()).icc, icc)
  })

  test('parts of a profile that a decoder would ignore cannot hide an unsafe one', async () => {
    const { icc } = await sharp(await picture(photo).withIccProfile('p3').png().toBuffer()).metadata()
    const safe = jpegWithProfile(jpeg, icc!)
    safe[18] = 0
    const bytes = Buffer.concat([
      safe.subarray(0, 2 + 4 + 14 + icc!.length),
      jpegWithProfile(jpeg, program).subarray(2),
    ])
    assert.ok((await sharp(bytes).metadata()).icc)
    assert.equal((await sharp(strip('jpeg', bytes)).metadata()).icc, undefined)
  })

  test('a profile of more than 1 MiB is removed', async () => {
    const large = profileOf({ cprt: Buffer.alloc(2 ** 20, 'text') })
    assert.equal((await sharp(strip('png', pngWithProfile(large))).metadata()).icc, undefined)
  })
})

test('files with random changes are stripped or refused, and nothing is left to strip', async () => {
  await fuzzStripMetadata(2000)
})
