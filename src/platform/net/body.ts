import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { ImageTooLarge, ImageUnreachable } from '../../errors/index.ts'

type Reply = Pick<Dispatcher.ResponseData, 'headers' | 'body' | 'statusCode'>

/** How much of the body is here, for whoever watches meanwhile. */
interface Progress {
  received: number
}

// Where the source announces no length.
const FIRST_ALLOCATION = 64 * 1024

// We ask for identity, but some servers store pictures compressed and send them so to everyone. Decoding them is bounded
// by the same limit as the rest, so a small bomb ends as IMAGE_TOO_LARGE.
const decoders = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
} as const

/** The body as it was meant, at most `maxBytes` both on the wire and decoded. */
export async function readBody(reply: Reply, maxBytes: number, progress: Progress): Promise<Buffer> {
  const encoding = String(reply.headers['content-encoding'] ?? 'identity').toLowerCase()
  const decode = Object.hasOwn(decoders, encoding) ? decoders[encoding as keyof typeof decoders] : undefined
  if (!decode && encoding !== 'identity' && encoding !== '') {
    throw new ImageUnreachable(reply.statusCode, 'sent it in an encoding that was not asked for')
  }
  const bytes = await collect(reply, maxBytes, progress)
  if (!decode) return bytes
  try {
    return await decode(bytes, { maxOutputLength: maxBytes })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw new ImageTooLarge(maxBytes)
    throw new ImageUnreachable(reply.statusCode, 'sent it in a broken encoding')
  }
}

/** Into one growing buffer, not a list: sixteen million chunks of a byte would take a hundred times their size. */
async function collect({ headers, body }: Reply, maxBytes: number, progress: Progress): Promise<Buffer> {
  const declared = Number(headers['content-length'] ?? Number.NaN)
  if (declared > maxBytes) throw new ImageTooLarge(maxBytes)
  let bytes = Buffer.allocUnsafeSlow(declared >= 0 ? declared : Math.min(FIRST_ALLOCATION, maxBytes))
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    const needed = size + chunk.length
    if (needed > maxBytes) throw new ImageTooLarge(maxBytes)
    if (needed > bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(maxBytes, Math.max(needed, bytes.length * 2)))
      bytes.copy(larger, 0, 0, size)
      bytes = larger
    }
    chunk.copy(bytes, size)
    size = needed
    progress.received = size
  }
  // Kept bytes are counted by caches: what was allocated in advance is given back.
  return size === bytes.length ? bytes : Buffer.from(bytes.subarray(0, size))
}
