import sharp from 'sharp'
import type { Pixels } from './decode.ts'
import { type Animation, type OutputFormat, writers } from './formats.ts'

interface Encoding {
  readonly output: OutputFormat
  /** One channel then says it all, which takes an encoder less time and bytes. */
  readonly colourless: boolean
  readonly animation: Animation
  readonly timeoutMs: number
}

/** The bytes have their memory to themselves, so that they can be handed to another thread without a copy. */
export async function encode(pixels: Pixels, { output, colourless, animation, timeoutMs }: Encoding) {
  const { data, width, height, channels, pages } = pixels
  const raw = { width, height: height * pages, channels, ...(pages > 1 && { pageHeight: height }) }
  const image = sharp(data, { raw, limitInputPixels: false })
  const toned = colourless && channels === 3 ? image.extractChannel(0) : image
  const written = writers[output].write(toned, pages > 1 ? animation : {})
  const { data: bytes } = await written.timeout({ seconds: Math.ceil(timeoutMs / 1000) }).toUint8Array()
  return { bytes, pages: pages > 1 ? await pagesOf(bytes) : 1 }
}

/** The encoder of WebP joins frames that are equal. */
const pagesOf = async (bytes: Uint8Array) => (await sharp(bytes).metadata()).pages ?? 1
