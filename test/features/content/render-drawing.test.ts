import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { artistKinds, draw } from '../../../packages/artist/src/index.ts'
import { contactSheet } from '../../../src/features/content/drawing-sheet.ts'
import { render } from '../../../src/features/content/render-drawing.ts'

test('a drawing renders as PNG and as WebP in the size that is asked for', async () => {
  for (const format of ['png', 'webp'] as const) {
    for (const size of [16, 96, 512, 1024]) {
      const { width, height, format: found } = await sharp(await render(draw('fox', 'size'), format, size)).metadata()
      assert.deepEqual({ width, height, found }, { width: size, height: size, found: format })
    }
  }
})

test('a large rendering is drawn large, not enlarged', async () => {
  const svg = draw('cat', 'sharp edges')
  const sharpness = async (png: Buffer) => (await sharp(png).stats()).sharpness
  const enlarged = await sharp(await render(svg, 'png', 512))
    .resize(1024, 1024)
    .png()
    .toBuffer()
  assert.ok((await sharpness(await render(svg, 'png', 1024))) > 1.2 * (await sharpness(enlarged)))
})

test('no picture is empty: the animal is there in several tones', async () => {
  for (const kind of artistKinds) {
    const { channels } = await sharp(await render(draw(kind, 'tones'), 'png', 128)).stats()
    assert.ok(
      channels.slice(0, 3).some(({ stdev }) => stdev > 15),
      kind,
    )
  }
})

/** Many pictures side by side in one document: one reading of it costs less than many. */
function strip(svgs: readonly string[], cell: number) {
  const size = `width="${cell}" height="${cell}"`
  const cells = svgs.map((svg, i) => svg.replace('width="512" height="512"', `x="${i * cell}" ${size}`))
  const whole = `<svg xmlns="http://www.w3.org/2000/svg" width="${svgs.length * cell}" height="${cell}">${cells.join('')}</svg>`
  return sharp(Buffer.from(whole))
}

for (const kind of artistKinds) {
  test(`${kind}: of 300 pictures at least 299 differ even at 16 by 16 pixels`, async () => {
    const seen = new Set<string>()
    for (let seed = 0; seed < 300; seed += 50) {
      const svgs = Array.from({ length: 50 }, (_, i) => draw(kind, String(seed + i)))
      const pixels = await strip(svgs, 16).removeAlpha().raw().toBuffer()
      const row = svgs.length * 16 * 3
      for (let i = 0; i < svgs.length; i++) {
        const lines = Array.from({ length: 16 }, (_, y) => pixels.subarray(y * row + i * 48, y * row + (i + 1) * 48))
        seen.add(Buffer.concat(lines).toString('base64'))
      }
    }
    assert.ok(seen.size >= 299, `${seen.size}`)
  })
}

test('a contact sheet holds its rows and columns, starting with the first seed', async () => {
  const sheet = await contactSheet('bird', { columns: 3, rows: 2, cell: 40, firstSeed: 7 })
  const { width, height, format } = await sharp(sheet).metadata()
  assert.deepEqual({ width, height, format }, { width: 144, height: 98, format: 'png' })
  const pixels = (image: ReturnType<typeof sharp>) => image.removeAlpha().raw().toBuffer()
  const second = await pixels(sharp(sheet).extract({ left: 52, top: 6, width: 40, height: 40 }))
  assert.deepEqual(second, await pixels(sharp(await render(draw('bird', '8'), 'png', 40))))
})
