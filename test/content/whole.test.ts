import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { isWholeGif } from '../../src/content/gif.ts'
import { isWholeJpeg } from '../../src/content/jpeg.ts'
import { wholePng } from '../../src/content/png.ts'
import { animation, noisy, tinyPng } from '../kit/pictures.ts'

const noise = async () => sharp(await noisy('png', 80, 60))

test('every way to write a JPEG, PNG or GIF is known as whole', async () => {
  const source = await noise()
  const jpegs = [{}, { progressive: true }, { mozjpeg: true }, { chromaSubsampling: '4:4:4' }, { quality: 1 }]
  for (const options of jpegs)
    assert.ok(isWholeJpeg(await source.clone().jpeg(options).toBuffer()), JSON.stringify(options))
  assert.ok(isWholeJpeg(await source.clone().withMetadata({ orientation: 6 }).withIccProfile('p3').jpeg().toBuffer()))
  assert.ok(isWholeJpeg(await source.clone().toColourspace('cmyk').jpeg().toBuffer()))
  assert.ok(isWholeJpeg(await source.clone().greyscale().jpeg().toBuffer()))
  const pngs = [{}, { palette: true }, { progressive: true }, { compressionLevel: 0 }]
  for (const options of pngs) {
    assert.deepEqual(wholePng(await source.clone().png(options).toBuffer()), { width: 80, height: 60 })
  }
  for (const gif of [await source.clone().gif().toBuffer(), await animation('gif')]) assert.ok(isWholeGif(gif))
})

test('what lies behind the end of a picture does not count', async () => {
  const more = Buffer.from('something that a phone adds')
  assert.ok(isWholeJpeg(Buffer.concat([await noisy('jpeg'), more])))
  assert.ok(isWholeGif(Buffer.concat([await noisy('gif'), more])))
  assert.ok(wholePng(Buffer.concat([tinyPng(1), more])))
})

test('no beginning of a picture is a whole one', async () => {
  const pictures = [
    [await (await noise()).jpeg({ progressive: true }).toBuffer(), isWholeJpeg],
    [await animation('gif', 3, 8), isWholeGif],
    [tinyPng(5), (bytes: Buffer) => wholePng(bytes) !== undefined],
  ] as const
  for (const [picture, isWhole] of pictures) {
    for (let length = 13; length < picture.length; length++)
      assert.ok(!isWhole(picture.subarray(0, length)), `${length}`)
    assert.ok(isWhole(picture))
  }
})
