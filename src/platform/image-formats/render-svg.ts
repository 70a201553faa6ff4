import type { Sharp } from 'sharp'

/** Little effort where more would cost much CPU time: anyone may request any number of drawings. */
const encoders = {
  png: (image: Sharp) => image.png({ compressionLevel: 7 }),
  webp: (image: Sharp) => image.webp({ quality: 86, effort: 2 }),
  // No transparency in this format.
  jpeg: (image: Sharp) => image.flatten({ background: '#fff' }).jpeg({ quality: 88, chromaSubsampling: '4:4:4' }),
  gif: (image: Sharp) => image.gif({ dither: 0 }),
  avif: (image: Sharp) => image.avif({ quality: 60, effort: 0 }),
}

export type DrawingFormat = keyof typeof encoders

/** Rasterizes at the target size, so that large pictures stay sharp. Loads sharp on first use: it takes 20 MB. */
export async function renderSvg(svg: Uint8Array, format: DrawingFormat, size: number): Promise<Buffer> {
  const { default: sharp } = await import('sharp')
  return encoders[format](sharp(svg).resize(size, size)).toBuffer()
}
