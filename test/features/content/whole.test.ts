import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { isWholeGif } from '../../../src/features/content/gif.ts'
import { wholeJpeg } from '../../../src/features/content/jpeg.ts'
import { wholePng } from '../../../src/features/content/png.ts'
import { animation, noisy, tinyPng } from '../../kit/pictures.ts'

const noise = async () => sharp(await noisy('png', 80, 60))

test('every way to write a JPEG, PNG or GIF is known as whole', async () => {
  const source = await noise()
  const jpegs = [{}, { progressive: true }, { mozjpeg: true }, { chromaSubsampling: '4:4:4' }, { quality: 1 }]
  for (const options of jpegs)
    assert.ok(wholeJpeg(await source.clone().jpeg(options).toBuffer()), JSON.stringify(options))
  assert.ok(wholeJpeg(await source.clone().withMetadata({ orientation: 6 }).withIccProfile('p3').jpeg().toBuffer()))
  assert.ok(wholeJpeg(await source.clone().toColourspace('cmyk').jpeg().toBuffer()))
  assert.ok(wholeJpeg(await source.clone().greyscale().jpeg().toBuffer()))
  const pngs = [{}, { palette: true }, { progressive: true }, { compressionLevel: 0 }]
  for (const options of pngs) {
    assert.deepEqual(wholePng(await source.clone().png(options).toBuffer()), { width: 80, height: 60 })
  }
  for (const gif of [await source.clone().gif().toBuffer(), await animation('gif')]) assert.ok(isWholeGif(gif))
})

test('the size of a JPEG is the one that people see, however the photo was held', async () => {
  const source = await noisy('jpeg', 60, 40)
  for (let orientation = 1; orientation <= 8; orientation++) {
    const turned = await sharp(source).withMetadata({ orientation }).jpeg().toBuffer()
    const { autoOrient } = await sharp(turned).metadata()
    assert.deepEqual(wholeJpeg(turned), autoOrient, `${orientation}`)
    assert.deepEqual(wholeJpeg(bigEndian(turned, orientation)), autoOrient, `${orientation}, the other way round`)
  }
  const lying = await sharp(source).withMetadata({ orientation: 6 }).jpeg().toBuffer()
  lying.fill(0xff, lying.indexOf('Exif') + 10, lying.indexOf('Exif') + 14)
  assert.deepEqual(wholeJpeg(lying), { width: 60, height: 40 }, 'a directory that is nowhere')
})

/** The same photo with its EXIF data as a camera of the other byte order writes it. */
function bigEndian(jpeg: Buffer, orientation: number): Buffer {
  const entry = Buffer.from([0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0])
  const tiff = Buffer.concat([Buffer.from('MM\0*\0\0\0\x08\0\x01', 'latin1'), entry, Buffer.alloc(4)])
  const body = Buffer.concat([Buffer.from('Exif\0\0'), tiff])
  const segment = Buffer.concat([Buffer.from([0xff, 0xe1, 0, body.length + 2]), body])
  const old = jpeg.indexOf('Exif') - 4
  return Buffer.concat([jpeg.subarray(0, old), segment, jpeg.subarray(old + 2 + jpeg.readUInt16BE(old + 2))])
}

test('what lies behind the end of a picture does not count', async () => {
  const more = Buffer.from('something that a phone adds')
  assert.ok(wholeJpeg(Buffer.concat([await noisy('jpeg'), more])))
  assert.ok(isWholeGif(Buffer.concat([await noisy('gif'), more])))
  assert.ok(wholePng(Buffer.concat([tinyPng(1), more])))
})

test('no beginning of a picture is a whole one', async () => {
  const pictures = [
    [await (await noise()).jpeg({ progressive: true }).toBuffer(), (bytes: Buffer) => wholeJpeg(bytes) !== undefined],
    [await animation('gif', 3, 8), isWholeGif],
    [tinyPng(5), (bytes: Buffer) => wholePng(bytes) !== undefined],
  ] as const
  for (const [picture, isWhole] of pictures) {
    for (let length = 13; length < picture.length; length++)
      assert.ok(!isWhole(picture.subarray(0, length)), `${length}`)
    assert.ok(isWhole(picture))
  }
})
