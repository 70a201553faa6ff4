import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import fc from 'fast-check'
import { type ApiError, ImageTooManyPixels, ImageTypeUnsupported, ImageUnreadable } from '../../../src/errors/index.ts'
import { blackPng, gif, png, webpBomb, withBrokenExif, withComment } from '../../kit/broken-pictures.ts'
import { createPhotograph } from '../../kit/frames.ts'
import { job, picture, pixelsOf, startEngine } from './engine-kit.ts'

const photo = createPhotograph(120, 80)
const jpeg = await picture(photo).jpeg().toBuffer()
const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>'
const isoMedia = (brands: string) => `\0\0\0\x18ftyp${brands}\0\0\0\0${brands}\0\0\0\0`

const refused: Record<string, string> = {
  'an SVG': svg,
  'an SVG after a declaration, a comment and white space': `\n <?xml version="1.0"?><!-- hello -->\n${svg}`,
  'an SVG after a byte order mark': `\xef\xbb\xbf${svg}`,
  'an SVG with a prefix': '<s:svg xmlns:s="http://www.w3.org/2000/svg"/>',
  'an SVG in UTF-16': Buffer.from(`\ufeff${svg}`, 'utf16le').toString('latin1'),
  'an HTML page': '<!DOCTYPE html><html><body>Not found</body></html>',
  'a PDF': '%PDF-1.7\n1 0 obj',
  'a PDF after some bytes': `${'x'.repeat(500)}%PDF-1.7\n`,
  'a HEIC': isoMedia('heic'),
  'an MP4': isoMedia('isom'),
  'a BMP': 'BM\x46\0\0\0\0\0\0\0\x36\0\0\0',
  'a zip': 'PK\x03\x04\x14\0',
  'a compressed SVG': '\x1f\x8b\x08\0',
  'a Linux program': '\x7fELF\x02\x01\x01',
  'a Windows program': 'MZ\x90\0',
  'a script': '#!/bin/sh\nexit 1\n',
}

const unreadable: Record<string, Uint8Array> = {
  'a PNG of more pixels than any decoder takes': png(2 ** 31 - 1, 2 ** 31 - 1, Buffer.alloc(1000)),
  'nothing at all': Buffer.alloc(0),
  'plain text': Buffer.from('Hello there, I am no picture.'),
  'a JPEG cut in half': jpeg.subarray(0, jpeg.length / 2),
  'a JPEG without its last bytes': jpeg.subarray(0, -2),
  'the first bytes of a JPEG': jpeg.subarray(0, 4),
  'a GIF header with a script behind it': Buffer.from('GIF89a/*\0\0\0\0*/=1;alert(document.domain)//'),
  'a PNG with fewer rows than it says': png(400, 400, Buffer.alloc(5000)),
  'a WebP that ends after its header': webpBomb(300, 300),
  'an AVIF that ends after its brands': Buffer.from(isoMedia('avif'), 'latin1'),
  'a TIFF that ends after its header': Buffer.from('II*\0\x08\0\0\0', 'latin1'),
}

const tooMany: Record<string, Uint8Array> = {
  'a PNG bomb': png(50_000, 50_000, Buffer.alloc(1000)),
  'a GIF bomb': gif(60_000, 60_000, 1),
  'a GIF bomb over its frames': gif(600, 600, 400),
  'a WebP bomb': webpBomb(16_383, 16_383),
  '10,000 frames': gif(1, 1, 10_000),
  'a side of more than 65,535 pixels': blackPng(1, 70_000),
}

suite('bad input', () => {
  const engine = startEngine({ after })
  const fails = (bytes: Uint8Array, error: new (...args: never[]) => ApiError) =>
    assert.rejects(engine.process(job(bytes)), error)

  for (const [what, text] of Object.entries(refused)) {
    test(`${what} is refused by its type`, () => fails(Buffer.from(text, 'latin1'), ImageTypeUnsupported))
  }
  for (const [what, bytes] of Object.entries(unreadable)) {
    test(`${what} is unreadable`, () => fails(bytes, ImageUnreadable))
  }
  for (const [what, bytes] of Object.entries(tooMany)) {
    test(`${what} has too many pixels or frames`, () => fails(bytes, ImageTooManyPixels))
  }

  for (const format of ['png', 'webp', 'gif', 'avif', 'tiff'] as const) {
    test(`a ${format} cut short is unreadable`, async () => {
      const whole = await picture(photo).toFormat(format).toBuffer()
      await assert.rejects(engine.process(job(whole.subarray(0, whole.length * 0.6))), ImageUnreadable)
    })
  }

  test('a JPEG with broken EXIF is filtered anyway', async () => {
    assert.equal((await engine.process(job(withBrokenExif(jpeg)))).width, 120)
  })

  test('a JPEG that is also a PDF and an HTML page becomes a plain image', async () => {
    const polyglot = Buffer.concat([
      withComment(jpeg, '%PDF-1.4 <script>alert(1)</script>'),
      Buffer.from('PK\x03\x04%%EOF'),
    ])
    const { bytes, type } = await engine.process(job(polyglot))
    assert.equal(type, 'image/jpeg')
    assert.ok(!/PDF|script|PK\x03\x04|EOF/.test(bytes.toString('latin1')))
  })

  test('an image 65,535 pixels wide is filtered', async () => {
    const { bytes } = await engine.process(job(blackPng(65_535, 3), 'blur', { strength: 256 }))
    assert.equal((await pixelsOf(bytes)).width, 65_535)
  })

  test('random bytes, with or without an image header, fail with 413, 415 or 422', async () => {
    const beginnings = [Buffer.alloc(0), jpeg.subarray(0, 200), gif(5, 5, 2), blackPng(9, 9).subarray(0, 40)]
    const starts = fc.constantFrom(...beginnings, Buffer.from('RIFF\x40\0\0\0WEBPVP8 '), Buffer.from('MM\0*\0\0\0\x08'))
    await fc.assert(
      fc.asyncProperty(starts, fc.uint8Array({ maxLength: 400 }), async (start, rest) => {
        const answer = await engine.process(job(Buffer.concat([start, rest]))).catch((error: ApiError) => error)
        const expected = 'bytes' in answer || [413, 415, 422].includes(answer.status)
        assert.ok(expected, String(answer))
      }),
      { numRuns: 150 },
    )
  })

  test('the engine works after all of these', async () => {
    assert.equal((await engine.process(job(jpeg))).type, 'image/jpeg')
    assert.deepEqual(engine.status(), { running: 0, queued: 0, processes: 2 })
  })
})
