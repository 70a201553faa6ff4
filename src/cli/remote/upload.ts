import { open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../../errors/index.ts'
import { type Connection, RefusedRequest, Unreachable } from './connection.ts'

/** Proxies limit the body of a request, such as Cloudflare to 100 MB. */
const PART_BYTES = 4 * 1024 * 1024
/** Consecutive failures. The pauses before the retries add up to 15 s, enough for a restart of the service. */
const MAX_FAILURES = 5
const FIRST_PAUSE_MS = 500

interface UploadOptions {
  /** A path, or the bytes. */
  readonly source: string | Uint8Array
  readonly sha256: string
  readonly bytes: number
  readonly onProgress?: (done: number, total: number) => void
}

/** Reads a part of a file or of bytes. */
async function openSource(source: string | Uint8Array) {
  if (typeof source !== 'string') {
    return { read: async (start: number, end: number) => source.subarray(start, end), async [Symbol.asyncDispose]() {} }
  }
  const handle = await open(source)
  return {
    async read(start: number, end: number) {
      const part = Buffer.alloc(end - start)
      await handle.read(part, 0, part.length, start)
      return part
    },
    [Symbol.asyncDispose]: () => handle.close(),
  }
}

/** Sends a file in parts. What is already there is not sent again; after a broken connection it continues. */
export async function uploadFile(connection: Connection, { source, sha256, bytes, onProgress }: UploadOptions) {
  await using file = await openSource(source)
  const request = (method: string, body?: Uint8Array, start = 0) =>
    connection.request<{ bytes: number; complete: boolean }>(method, '/uploads/:sha256', {
      params: { sha256 },
      ...(body && { body, headers: { 'Content-Range': `bytes ${start}-${start + body.length - 1}/${bytes}` } }),
    })
  const findState = () =>
    request('GET').catch((error) => {
      if (error instanceof RefusedRequest && error.code === 'UNKNOWN_UPLOAD') return { bytes: 0, complete: false }
      throw error
    })

  // Each part is sent once, and all of them again if the service has them but did not check them.
  let partsLeft = 2 * Math.ceil(bytes / PART_BYTES) + 2
  for (let failures = 0; ; ) {
    try {
      // A small file is sent at once, which saves a request.
      let state = failures === 0 && bytes <= PART_BYTES ? { bytes: 0, complete: false } : await findState()
      while (!state.complete) {
        // The service has all bytes, but did not check them.
        const start = state.bytes < bytes ? state.bytes : 0
        onProgress?.(start, bytes)
        if (partsLeft-- === 0) throw new OperatorError(`${connection.server} does not complete the upload.`)
        state = await request('PUT', await file.read(start, Math.min(start + PART_BYTES, bytes)), start)
        failures = 0
      }
      return
    } catch (error) {
      if (!(error instanceof Unreachable) || ++failures > MAX_FAILURES) throw error
      await sleep(FIRST_PAUSE_MS * 2 ** (failures - 1))
    }
  }
}
