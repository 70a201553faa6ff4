import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'

export interface Digest {
  readonly bytes: number
  readonly sha256: string
  readonly sha512: string
}

export type OnProgress = (done: number, total: number | undefined) => void

interface DigestOptions {
  readonly total?: number | undefined
  readonly onProgress?: OnProgress | undefined
  /** Where the same bytes are written, so that a large file is read once. */
  readonly copyTo?: FileHandle | undefined
}

export async function digestOf(source: AsyncIterable<Uint8Array>, options: DigestOptions = {}): Promise<Digest> {
  const { total, onProgress, copyTo } = options
  const sha256 = createHash('sha256')
  const sha512 = createHash('sha512')
  let bytes = 0
  for await (const chunk of source) {
    sha256.update(chunk)
    sha512.update(chunk)
    await copyTo?.writeFile(chunk)
    bytes += chunk.byteLength
    onProgress?.(bytes, total)
  }
  await copyTo?.sync()
  return { bytes, sha256: sha256.digest('hex'), sha512: sha512.digest('hex') }
}
