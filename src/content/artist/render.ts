import sharp from 'sharp'
import { SIZE } from './kind.ts'

export type PixelFormat = 'png' | 'webp'

/** sharp rasterises at 72 dots an inch; a denser reading keeps large sizes sharp instead of enlarging pixels. */
const densityFor = (size: number) => Math.max(72, Math.ceil((72 * size) / SIZE))

export async function render(svg: string, format: PixelFormat, size: number): Promise<Buffer> {
  const image = sharp(Buffer.from(svg), { density: densityFor(size) }).resize(size, size)
  return format === 'png'
    ? image.png({ compressionLevel: 7 }).toBuffer()
    : image.webp({ quality: 86, effort: 3 }).toBuffer()
}
