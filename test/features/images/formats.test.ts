import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import sharp from 'sharp'
import { filters } from '../../../src/features/filters/index.ts'
import { outputFormats } from '../../../src/features/images/index.ts'
import { blackPng } from '../../kit/broken-pictures.ts'
import { createFlatFrame, createPhotograph } from '../../kit/frames.ts'
import { filtered, greatestDifference, psnr } from '../filters/oracle.ts'
import { job, picture, pixelsOf, startEngine } from './engine-kit.ts'

suite('formats', () => {
  const engine = startEngine({ after })
  const photo = createPhotograph(90, 60)

  for (const { name } of filters) {
    for (const channels of [3, 4] as const) {
      test(`${name} of a PNG with ${channels} channels is exactly what the filter makes of its pixels`, async () => {
        const source = createPhotograph(90, 60, channels)
        const { bytes } = await engine.process(job(await picture(source).png().toBuffer(), name))
        const { data } = await pixelsOf(bytes)
        assert.deepEqual(new Uint8Array(data), filtered(source, name).data)
      })
    }
  }

  for (const format of ['jpeg', 'png', 'webp', 'gif', 'avif', 'tiff'] as const) {
    test(`a ${format} is read and comes out ${format === 'tiff' ? 'as PNG' : 'in its own format'}`, async () => {
      const result = await engine.process(job(await picture(photo).toFormat(format).toBuffer()))
      assert.equal(result.type, format === 'tiff' ? 'image/png' : `image/${format}`)
      assert.deepEqual([result.width, result.height, result.frameCount], [90, 60, 1])
      assert.ok(psnr(await pixelsOf(result.bytes), filtered(photo, 'invert')) > 20)
    })
  }

  test('a lossless WebP stays lossless, also if it is animated; a lossy one stays lossy', async () => {
    const source = createPhotograph(90, 60, 4)
    const lossless = await picture(source).webp({ lossless: true, exact: true }).toBuffer()
    const { bytes, type } = await engine.process(job(lossless))
    assert.equal(type, 'image/webp')
    assert.equal(greatestDifference(await pixelsOf(bytes), filtered(source, 'invert')), 0)

    const frames = { create: { width: 8, height: 16, channels: 3, background: '#369', pageHeight: 8 } } as const
    const animation = await sharp(frames)
      .webp({ lossless: true, delay: [50, 60] })
      .toBuffer()
    const inverted = await pixelsOf((await engine.process(job(animation))).bytes)
    assert.deepEqual([...inverted.data.subarray(0, 3)], [204, 153, 102])

    const lossy = await picture(source).webp().toBuffer()
    assert.ok((await engine.process(job(lossy))).bytes.length < bytes.length / 2)
  })

  for (const output of outputFormats) {
    test(`${output} can be requested at any size`, async () => {
      for (const [width, height] of [
        [1, 1],
        [1, 50],
        [300, 2],
      ] as const) {
        const { type, bytes } = await engine.process(job(blackPng(width, height), 'invert', { output }))
        const metadata = await sharp(bytes).metadata()
        assert.equal(type, `image/${output}`)
        assert.equal(metadata.mediaType, type)
        assert.deepEqual([metadata.width, metadata.height], [width, height])
      }
    })
  }

  test('an image too wide for the requested format becomes a PNG', async () => {
    const { type, width } = await engine.process(job(blackPng(65_535, 1), 'invert', { output: 'webp' }))
    assert.deepEqual([type, width], ['image/png', 65_535])
  })

  test('alpha is blended with white if the output is JPEG', async () => {
    const clear = await picture(createFlatFrame(8, 8, [10, 20, 30, 0]))
      .png()
      .toBuffer()
    const { bytes } = await engine.process(job(clear, 'invert', { output: 'jpeg' }))
    assert.deepEqual(new Set((await pixelsOf(bytes)).data), new Set([255]))
  })

  test('greyscale is written in one channel', async () => {
    const { bytes } = await engine.process(job(await picture(photo).jpeg().toBuffer(), 'greyscale'))
    const { channels, space } = await sharp(bytes).metadata()
    assert.deepEqual([channels, space], [1, 'b-w'])
  })

  for (let orientation = 1; orientation <= 8; orientation++) {
    test(`a JPEG with orientation ${orientation} comes out upright and without metadata`, async () => {
      const turned = await picture(photo).jpeg({ quality: 100 }).withMetadata({ orientation }).toBuffer()
      const upright = await pixelsOf(await sharp(turned).autoOrient().png().toBuffer())
      const { bytes, width, height } = await engine.process(job(turned, 'invert', { output: 'png' }))
      const { exif, icc, orientation: left } = await sharp(bytes).metadata()
      assert.deepEqual([exif, icc, left], [undefined, undefined, undefined])
      assert.deepEqual([width, height], [upright.width, upright.height])
      assert.equal(greatestDifference(await pixelsOf(bytes), filtered(upright, 'invert')), 0)
    })
  }

  const unusual = {
    'a 16-bit PNG': () => picture(photo).toColourspace('rgb16').png(),
    'a palette PNG': () => picture(photo).png({ palette: true }),
    'a greyscale JPEG': () => picture(photo).toColourspace('b-w').jpeg(),
    'a greyscale PNG with alpha': () => picture(photo).ensureAlpha(0.5).toColourspace('b-w').png(),
    'a CMYK JPEG': () => picture(photo).toColourspace('cmyk').jpeg(),
    'a JPEG with the profile of a wide colour space': () => picture(photo).withIccProfile('p3').jpeg(),
    'a progressive JPEG': () => picture(photo).jpeg({ progressive: true }),
  }
  for (const [what, make] of Object.entries(unusual)) {
    test(`${what} is filtered in sRGB`, async () => {
      const source = await make().toBuffer()
      const seen = await pixelsOf(await sharp(source).toColourspace('srgb').png().toBuffer())
      const { bytes } = await engine.process(job(source, 'invert', { output: 'png' }))
      const { depth, hasProfile } = await sharp(bytes).metadata()
      assert.deepEqual([depth, hasProfile], ['uchar', false])
      assert.ok(greatestDifference(await pixelsOf(bytes), filtered(seen, 'invert')) <= 1)
    })
  }
})
