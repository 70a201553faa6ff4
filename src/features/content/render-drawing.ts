import sharp from 'sharp'

export type PixelFormat = 'png' | 'webp'

/** sharp reads an SVG at the scale that it is resized to, so that large pictures are sharp. */
export async function render(svg: string, format: PixelFormat, size: number): Promise<Buffer> {
  const image = sharp(Buffer.from(svg)).resize(size, size)
  return format === 'png'
    ? image.png({ compressionLevel: 7 }).toBuffer()
    : image.webp({ quality: 86, effort: 2 }).toBuffer()
}
