import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import sharp from 'sharp'
import {
  type FormatName,
  imageFormats,
  readJpegHeader,
  stripMetadata,
} from '../../../src/platform/image-formats/index.ts'
import { picture, pixelsOf } from '../../features/images/engine-kit.ts'
import { createPhotograph } from '../../kit/frames.ts'
import { createAnimation, createNoisyImage, tinyPng } from '../../kit/pictures.ts'

const { gif, jpeg, png } = imageFormats

const noise = async () => sharp(await createNoisyImage('png', 80, 60))

test('JPEG, PNG and GIF files of every encoder setting are complete', async () => {
  const source = await noise()
  const jpegs = [{}, { progressive: true }, { mozjpeg: true }, { chromaSubsampling: '4:4:4' }, { quality: 1 }]
  for (const options of jpegs)
    assert.ok(jpeg.readSizeIfComplete(await source.clone().jpeg(options).toBuffer()), JSON.stringify(options))
  assert.ok(
    jpeg.readSizeIfComplete(
      await source.clone().withMetadata({ orientation: 6 }).withIccProfile('p3').jpeg().toBuffer(),
    ),
  )
  assert.ok(jpeg.readSizeIfComplete(await source.clone().toColourspace('cmyk').jpeg().toBuffer()))
  assert.ok(jpeg.readSizeIfComplete(await source.clone().greyscale().jpeg().toBuffer()))
  const pngs = [{}, { palette: true }, { progressive: true }, { compressionLevel: 0 }]
  for (const options of pngs) {
    assert.deepEqual(png.readSizeIfComplete(await source.clone().png(options).toBuffer()), { width: 80, height: 60 })
  }
  for (const bytes of [await source.clone().gif().toBuffer(), await createAnimation('gif')])
    assert.ok(gif.isComplete(bytes))
})

test('the header of a JPEG is read as the decoder reads it', async () => {
  const source = await noise()
  const others = [source.clone().greyscale(), source.clone().toColourspace('cmyk'), source.clone().withIccProfile('p3')]
  const rotated = [1, 2, 3, 4, 5, 6, 7, 8].map((orientation) => source.clone().withMetadata({ orientation }))
  for (const image of [source, ...others, ...rotated]) {
    for (const progressive of [false, true]) {
      const bytes = stripMetadata('jpeg', await image.clone().jpeg({ progressive }).toBuffer(), 1)
      const { autoOrient, isProgressive, orientation = 1 } = await sharp(bytes).metadata()
      assert.deepEqual(readJpegHeader(bytes), { ...autoOrient, isProgressive, orientation })
    }
  }
  const withoutFrame = Buffer.from('ffd8ffe000020000', 'hex')
  for (const broken of [withoutFrame, withoutFrame.subarray(0, 3)]) assert.equal(readJpegHeader(broken), undefined)
})

test('the size of a JPEG or PNG is the displayed one, for every orientation', async () => {
  const source = await createNoisyImage('jpeg', 60, 40)
  for (let orientation = 1; orientation <= 8; orientation++) {
    const rotated = await sharp(source).withMetadata({ orientation }).jpeg().toBuffer()
    const { autoOrient } = await sharp(rotated).metadata()
    assert.deepEqual(jpeg.readSizeIfComplete(rotated), autoOrient, `${orientation}`)
    const rotatedPng = await sharp(source).withMetadata({ orientation }).png().toBuffer()
    assert.deepEqual(png.readSizeIfComplete(rotatedPng), autoOrient, `PNG ${orientation}`)
    assert.deepEqual(jpeg.readSizeIfComplete(bigEndian(rotated, orientation)), autoOrient, `${orientation}, big-endian`)
  }
  const pointingNowhere = await sharp(source).withMetadata({ orientation: 6 }).jpeg().toBuffer()
  pointingNowhere.fill(0xff, pointingNowhere.indexOf('Exif') + 10, pointingNowhere.indexOf('Exif') + 14)
  assert.deepEqual(
    jpeg.readSizeIfComplete(pointingNowhere),
    { width: 60, height: 40 },
    'the directory is outside the file',
  )
})

/** The same photo with big-endian EXIF data. */
function bigEndian(photo: Buffer, orientation: number): Buffer {
  const entry = Buffer.from([0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0])
  const tiff = Buffer.concat([Buffer.from('MM\0*\0\0\0\x08\0\x01', 'latin1'), entry, Buffer.alloc(4)])
  const body = Buffer.concat([Buffer.from('Exif\0\0'), tiff])
  const segment = Buffer.concat([Buffer.from([0xff, 0xe1, 0, body.length + 2]), body])
  const old = photo.indexOf('Exif') - 4
  return Buffer.concat([photo.subarray(0, old), segment, photo.subarray(old + 2 + photo.readUInt16BE(old + 2))])
}

test('data after the end of an image is ignored', async () => {
  const appended = Buffer.from('something that a phone adds')
  assert.ok(jpeg.readSizeIfComplete(Buffer.concat([await createNoisyImage('jpeg'), appended])))
  assert.ok(gif.isComplete(Buffer.concat([await createNoisyImage('gif'), appended])))
  assert.ok(png.readSizeIfComplete(Buffer.concat([tinyPng(1), appended])))
})

test('no truncated file is complete', async () => {
  const pictures = [
    [
      await (await noise()).jpeg({ progressive: true }).toBuffer(),
      (bytes: Buffer) => jpeg.readSizeIfComplete(bytes) !== undefined,
    ],
    [await createAnimation('gif', 3, 8), gif.isComplete],
    [tinyPng(5), (bytes: Buffer) => png.readSizeIfComplete(bytes) !== undefined],
  ] as const
  for (const [picture, isComplete] of pictures) {
    for (let length = 13; length < picture.length; length++)
      assert.ok(!isComplete(picture.subarray(0, length)), `${length}`)
    assert.ok(isComplete(picture))
  }
})

const strip = (format: FormatName, bytes: Uint8Array) => Buffer.from(stripMetadata(format, Uint8Array.from(bytes), 500))

suite('stripping keeps images of every encoder setting', () => {
  const variants = {
    jpeg: [{ progressive: true }, { mozjpeg: true }, { chromaSubsampling: '4:4:4', quality: 100 }],
    png: [{ compressionLevel: 0 }, { progressive: true }, { palette: true, colours: 2 }],
    webp: [{ lossless: true }, { nearLossless: true }, { quality: 5 }],
    gif: [{ colours: 2 }, { progressive: true }],
    avif: [{ lossless: true }, { chromaSubsampling: '4:2:0' }],
    tiff: [
      ...['none', 'jpeg', 'deflate', 'packbits', 'lzw'].map((compression) => ({ compression })),
      { tile: true, pyramid: true },
      { bigtiff: true, predictor: 'horizontal' },
    ],
  }
  const large = picture(createPhotograph(75, 50)).withMetadata({ orientation: 6 })

  for (const [format, settings] of Object.entries(variants)) {
    test(format, async () => {
      for (const options of settings) {
        for (const image of [large.clone(), large.clone().ensureAlpha(0.5), large.clone().toColourspace('b-w')]) {
          const bytes = await image.toFormat(format as FormatName, options as object).toBuffer()
          const stripped = strip(format as FormatName, bytes)
          assert.deepEqual(await pixelsOf(stripped), await pixelsOf(bytes), JSON.stringify(options))
        }
      }
    })
  }

  test('a JPEG with fill bytes before a restart marker', async () => {
    const bytes = await createNoisyImage('jpeg')
    const filled = Buffer.concat([
      bytes.subarray(0, -2),
      Buffer.from([0xff, 0xff, 0xff, 0xd0, 0x12]),
      bytes.subarray(-2),
    ])
    const end = strip('jpeg', filled).subarray(-7)
    assert.deepEqual(end, filled.subarray(-7))
    assert.ok(jpeg.readSizeIfComplete(filled))
  })
})
