import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { FetchError } from './fetch-error.ts'

type Response = Pick<Dispatcher.ResponseData, 'headers' | 'body' | 'statusCode'>

/** Used if the source does not announce a length. */
const FIRST_ALLOCATION_BYTES = 64 * 1024

// We ask for identity, but some servers store files compressed and send them so to everyone. Decompression is bounded
// by the same limit as the transfer, so a decompression bomb fails as `too-large`.
const decompressors = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
} as const

/** Reads and decompresses a body of at most `maxBytes`, both transferred and decompressed. */
export async function readBody(
  response: Response,
  maxBytes: number,
  onProgress: (receivedBytes: number) => void,
): Promise<Buffer> {
  const { statusCode: sourceStatus } = response
  const encoding = String(response.headers['content-encoding'] ?? 'identity').toLowerCase()
  const decompress = Object.hasOwn(decompressors, encoding)
    ? decompressors[encoding as keyof typeof decompressors]
    : undefined
  if (!decompress && encoding !== 'identity' && encoding !== '') {
    throw new FetchError('unreachable', { sourceStatus, problem: 'sent a content encoding that was not requested' })
  }
  const bytes = await collect(response, maxBytes, onProgress)
  if (!decompress) return bytes
  try {
    return await decompress(bytes, { maxOutputLength: maxBytes })
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    if (isTooLarge) throw new FetchError('too-large', { max: maxBytes })
    throw new FetchError('unreachable', { sourceStatus, problem: 'sent a body with a broken content encoding' })
  }
}

/** Collects into one growing buffer, not a list: sixteen million one-byte chunks would take a hundred times their size. */
async function collect(
  { headers, body }: Response,
  maxBytes: number,
  onProgress: (receivedBytes: number) => void,
): Promise<Buffer> {
  const tooLarge = () => new FetchError('too-large', { max: maxBytes })
  const declared = Number(headers['content-length'] ?? Number.NaN)
  if (declared > maxBytes) throw tooLarge()
  let bytes = Buffer.allocUnsafeSlow(declared >= 0 ? declared : Math.min(FIRST_ALLOCATION_BYTES, maxBytes))
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    const needed = size + chunk.length
    if (needed > maxBytes) throw tooLarge()
    if (needed > bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(maxBytes, Math.max(needed, bytes.length * 2)))
      bytes.copy(larger, 0, 0, size)
      bytes = larger
    }
    chunk.copy(bytes, size)
    size = needed
    onProgress(size)
  }
  // Caches count the bytes that they hold: return the unused rest of the allocation.
  return size === bytes.length ? bytes : Buffer.from(bytes.subarray(0, size))
}
