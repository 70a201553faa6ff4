import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitName, typeOfBytes, typeOfName } from '../../../src/features/content/kinds.ts'
import { createNoisyImage, type FileType } from '../../kit/pictures.ts'

test('the type of a picture is detected by its first bytes', async () => {
  for (const type of ['jpeg', 'png', 'webp', 'gif', 'avif'] satisfies FileType[]) {
    assert.equal(typeOfBytes(await createNoisyImage(type)), type)
  }
  const box = (brands: string) => {
    const bytes = Buffer.concat([Buffer.alloc(4), Buffer.from(`ftyp${brands}`)])
    bytes.writeUInt32BE(bytes.length)
    return Buffer.concat([bytes, Buffer.from('....avif')])
  }
  assert.equal(typeOfBytes(box('mif1\0\0\0\0mif1avifmiaf')), 'avif')
  assert.equal(typeOfBytes(box('heic\0\0\0\0mif1heic')), undefined)
  for (const bytes of ['', 'GIF', 'RIFF\0\0\0\0WAVE', '<svg/>', '%PDF-', '\0\0\0']) {
    assert.equal(typeOfBytes(Buffer.from(bytes)), undefined, bytes)
  }
})

test('the last extension of a name gives its type, in any case', () => {
  assert.equal(typeOfName('a.b.JPG'), 'jpeg')
  assert.equal(typeOfName('a.jpg.exe'), undefined)
  assert.equal(typeOfName('.png'), undefined)
  assert.deepEqual(splitName('photo.of.me.JPG'), { stem: 'photo.of.me', extension: 'JPG' })
})
