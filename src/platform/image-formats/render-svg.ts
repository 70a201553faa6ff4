export type DrawingFormat = 'png' | 'webp'

/** Rasterizes at the target size, so that large pictures stay sharp. Loads sharp on first use: it takes 20 MB. */
export async function renderSvg(svg: Uint8Array, format: DrawingFormat, size: number): Promise<Buffer> {
  const { default: sharp } = await import('sharp')
  const image = sharp(svg).resize(size, size)
  return format === 'png'
    ? image.png({ compressionLevel: 7 }).toBuffer()
    : image.webp({ quality: 86, effort: 2 }).toBuffer()
}
