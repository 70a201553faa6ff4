import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { artistKinds, draw } from '../../../packages/artist/src/index.ts'
import { createArtist, renderContactSheet } from '../../../src/features/content/artist.ts'
import { renderSvg as renderBytes } from '../../../src/platform/image-formats/index.ts'

const renderSvg = (svg: string, format: 'png' | 'webp', size: number) => renderBytes(Buffer.from(svg), format, size)

test('a drawing is rendered as SVG, PNG or WebP with 512 pixels per side', async () => {
  const artist = createArtist()
  assert.equal((await artist.render('cat', 'a', 'svg')).toString(), draw('cat', 'a'))
  for (const type of ['png', 'webp'] as const) {
    const { format, width } = await sharp(await artist.render('cat', 'a', type)).metadata()
    assert.deepEqual({ format, width }, { format: type, width: 512 })
  }
})

test('an SVG renders as PNG and WebP in each size', async () => {
  for (const format of ['png', 'webp'] as const) {
    for (const size of [16, 96, 512, 1024]) {
      const {
        width,
        height,
        format: found,
      } = await sharp(await renderSvg(draw('fox', 'size'), format, size)).metadata()
      assert.deepEqual({ width, height, found }, { width: size, height: size, found: format })
    }
  }
})

test('a large rendering is not an enlarged small one', async () => {
  const svg = draw('cat', 'sharp edges')
  const sharpness = async (png: Buffer) => (await sharp(png).stats()).sharpness
  const enlarged = await sharp(await renderSvg(svg, 'png', 512))
    .resize(1024, 1024)
    .png()
    .toBuffer()
  assert.ok((await sharpness(await renderSvg(svg, 'png', 1024))) > 1.2 * (await sharpness(enlarged)))
})

test('no drawing is blank', async () => {
  for (const kind of artistKinds) {
    const { channels } = await sharp(await renderSvg(draw(kind, 'tones'), 'png', 128)).stats()
    assert.ok(
      channels.slice(0, 3).some(({ stdev }) => stdev > 15),
      kind,
    )
  }
})

/** Many drawings side by side in one SVG: faster than rendering each. */
function strip(svgs: readonly string[], cell: number) {
  const size = `width="${cell}" height="${cell}"`
  const cells = svgs.map((svg, i) => svg.replace('width="512" height="512"', `x="${i * cell}" ${size}`))
  const combined = `<svg xmlns="http://www.w3.org/2000/svg" width="${svgs.length * cell}" height="${cell}">${cells.join('')}</svg>`
  return sharp(Buffer.from(combined))
}

for (const kind of artistKinds) {
  test(`${kind}: at least 49 of 50 drawings differ, even at 16 by 16 pixels`, async () => {
    const svgs = Array.from({ length: 50 }, (_, seed) => draw(kind, String(seed)))
    const pixels = await strip(svgs, 16).removeAlpha().raw().toBuffer()
    const row = svgs.length * 16 * 3
    const icons = svgs.map((_, i) => {
      const lines = Array.from({ length: 16 }, (_, y) => pixels.subarray(y * row + i * 48, y * row + (i + 1) * 48))
      return Buffer.concat(lines).toString('base64')
    })
    assert.ok(new Set(icons).size >= 49)
  })
}

test('a contact sheet has rows and columns with captions, starting with the first seed', async () => {
  const sheet = await renderContactSheet('bird', { columns: 3, rows: 2, cell: 40, firstSeed: 7 })
  const { width, height, format } = await sharp(sheet).metadata()
  assert.deepEqual({ width, height, format }, { width: 144, height: 150, format: 'png' })
  const pixels = (image: ReturnType<typeof sharp>) => image.removeAlpha().raw().toBuffer()
  const second = await pixels(sharp(sheet).extract({ left: 52, top: 6, width: 40, height: 40 }))
  assert.deepEqual(second, await pixels(sharp(await renderSvg(draw('bird', '8'), 'png', 40))))
  const captions = await Promise.all(
    [6, 52].map((left) => pixels(sharp(sheet).extract({ left, top: 46, width: 40, height: 26 }))),
  )
  assert.notDeepEqual(captions[0], captions[1], 'seeds 7 and 8')
})
