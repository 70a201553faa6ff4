// What a picture file can tell beside its picture, and what is left of it when it is added.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { addPictures } from '../../../src/features/content/index.ts'
import { place } from '../../kit/content.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { animation, noisy } from '../../kit/pictures.ts'

const SECRET = 'taken at 52.5 N, 13.4 E'

function pngPart(name: string, data: string | Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), Buffer.from(data)])
  const part = Buffer.alloc(named.length + 8)
  part.writeUInt32BE(named.length - 4)
  named.copy(part, 4)
  part.writeUInt32BE(crc32(named), part.length - 4)
  return part
}

function jpegPart(mark: number, text: string): Buffer {
  const part = Buffer.concat([Buffer.from([0xff, mark, 0, 0]), Buffer.from(text)])
  part.writeUInt16BE(part.length - 2, 2)
  return part
}

function webpPart(name: string, text: string): Buffer {
  const part = Buffer.concat([Buffer.from(`${name}....${text}`), Buffer.alloc(text.length % 2)])
  part.writeUInt32LE(text.length, 4)
  return part
}

const between = (bytes: Buffer, at: number, part: Buffer) =>
  Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at)])
const behind = (bytes: Buffer) => Buffer.concat([bytes, Buffer.from(SECRET)])

function inWebp(bytes: Buffer, part: Buffer): Buffer {
  const whole = Buffer.concat([bytes, part])
  whole.writeUInt32LE(whole.length - 8, 4)
  return whole
}

async function telling(): Promise<Record<string, Buffer>> {
  const [png, jpeg, webp, avif] = await Promise.all(
    (['png', 'jpeg', 'webp', 'avif'] as const).map((type) => noisy(type)),
  )
  const gif = await animation('gif')
  const comment = Buffer.from([0x21, 0xfe, SECRET.length, ...Buffer.from(SECRET), 0])
  const deflated = deflateSync(Buffer.concat([Buffer.alloc(60e6, 65), Buffer.from(SECRET)]))
  const parts = (bytes: Buffer) => between(png!, 33, bytes)
  const segment = (bytes: Buffer) => between(jpeg!, 2, bytes)
  return {
    'private.png': parts(pngPart('prVt', SECRET)),
    'text.png': parts(pngPart('tEXt', `Comment\0${SECRET}`)),
    'long.png': parts(pngPart('zTXt', Buffer.concat([Buffer.from('Comment\0\0'), deflated]))),
    'behind.png': behind(png!),
    'comment.jpg': segment(jpegPart(0xfe, SECRET)),
    'maker.jpg': segment(jpegPart(0xe7, SECRET)),
    'preview.jpg': segment(jpegPart(0xe2, `MPF\0${SECRET}`)),
    'behind.jpg': behind(jpeg!),
    'second.jpg': Buffer.concat([jpeg!, segment(jpegPart(0xfe, SECRET))]),
    'private.webp': inWebp(webp!, webpPart('GPSx', SECRET)),
    'behind.webp': behind(webp!),
    'comment.gif': between(gif, gif.length - 1, comment),
    'behind.gif': behind(gif),
    'behind.avif': behind(avif!),
  }
}

test('whatever a file tells beside its picture is left behind, and what is left stays as it is', async (t) => {
  const dir = await temporaryFolder(t)
  const files = await telling()
  await place(dir, Object.fromEntries(Object.entries(files).map(([name, bytes]) => [`in/${name}`, bytes])))
  for (const [name, bytes] of Object.entries(files)) {
    const kind = name.replace('.', '-')
    const [added] = await addPictures({ dir, kind, sources: [join(dir, 'in', name)] })
    assert.ok(added?.outcome === 'added', `${name}: ${JSON.stringify(added)}`)
    const path = join(dir, 'animals', kind, added.file)
    const cleaned = await readFile(path)
    assert.ok(!cleaned.includes(SECRET) && !cleaned.equals(bytes), name)
    assert.ok(cleaned.length < bytes.length + 2000 && (await sharp(cleaned).metadata()).width > 0)
    const [again] = await addPictures({ dir, kind, sources: [path] })
    assert.equal(again?.outcome, 'skipped', `${name} is not written anew each time`)
  }
})
