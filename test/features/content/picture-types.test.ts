import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitName, typeOfBytes, typeOfName } from '../../../src/features/content/picture-types.ts'
import { type FileType, noisy } from '../../kit/pictures.ts'

test('a type is told by the first bytes', async () => {
  for (const type of ['jpeg', 'png', 'webp', 'gif', 'avif'] satisfies FileType[]) {
    assert.equal(typeOfBytes(await noisy(type)), type)
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

test('a name tells a type by its last extension, in any case', () => {
  assert.equal(typeOfName('a.b.JPG'), 'jpeg')
  assert.equal(typeOfName('a.jpg.exe'), undefined)
  assert.equal(typeOfName('.png'), undefined)
  assert.deepEqual(splitName('photo.of.me.JPG'), { stem: 'photo.of.me', extension: 'JPG' })
})
