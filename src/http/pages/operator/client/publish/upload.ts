import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { Refused, request, Unavailable } from '../session.ts'

/**
 * Proxies limit the body of a request. The default of CONTENT_SYNC_FILE_BYTES is the same: with several nodes, a file
 * is sent in one request, because the next request may reach another node.
 */
const PART_BYTES = 8 * 1024 * 1024
/** Enough for 112 kbit/s. */
const TIMEOUT_MS = 10 * 60_000
/** Consecutive failures without progress. The pauses add up to 15 s, enough for a restart of the service. */
const MAX_FAILURES = 5
const FIRST_PAUSE_MS = 500

type OnProgress = (share: number) => void

/** Digests of files that were read, so that the next check does not read them again. */
const digests = new WeakMap<File, string>()

async function readPart(file: File, start: number): Promise<Uint8Array> {
  try {
    return new Uint8Array(await file.slice(start, start + PART_BYTES).arrayBuffer())
  } catch {
    throw new Error(`${file.name} cannot be read: it is a folder, or it was changed. Choose it again.`)
  }
}

/** Does not use the Web Crypto API, which needs HTTPS and the whole file in memory. */
async function digestFile(file: File, onProgress: OnProgress): Promise<string> {
  const hash = sha256.create()
  for (let start = 0; start < file.size; start += PART_BYTES) {
    hash.update(await readPart(file, start))
    onProgress(start / file.size)
  }
  return bytesToHex(hash.digest())
}

/** Sends a file in parts. Parts that the service has are not sent again, also after a broken connection. */
export async function uploadFile(file: File, onProgress: OnProgress): Promise<string> {
  if (file.size === 0) throw new Error(`${file.name} is empty.`)
  const digest = digests.get(file) ?? (await digestFile(file, (share) => onProgress(share / 2)))
  digests.set(file, digest)
  const send = async (start?: number) => {
    const path = `/uploads/${digest}`
    if (start === undefined) return (await request<UploadState>(path)).body
    const end = Math.min(start + PART_BYTES, file.size)
    const headers = { 'content-range': `bytes ${start}-${end - 1}/${file.size}` }
    const part = { method: 'PUT', headers, file: file.slice(start, end), timeoutMs: TIMEOUT_MS }
    return (await request<UploadState>(path, part)).body
  }
  const findState = () =>
    send().catch((error) => {
      if (error instanceof Refused && error.failure.code === 'UNKNOWN_UPLOAD') return { bytes: 0, complete: false }
      throw error
    })
  for (let failures = 0, reached = 0; ; ) {
    try {
      // A small file is sent at once, which saves a request.
      let state = failures === 0 && file.size <= PART_BYTES ? { bytes: 0, complete: false } : await findState()
      if (state.bytes > reached && state.bytes <= file.size) [reached, failures] = [state.bytes, 0]
      while (!state.complete) {
        // If the service has all bytes but has not checked them, they are sent again from the start.
        const start = state.bytes < file.size ? state.bytes : 0
        onProgress(0.5 + start / file.size / 2)
        state = await send(start)
        failures = 0
      }
      onProgress(1)
      return digest
    } catch (error) {
      // A file that was changed on the disk cannot be sent, which looks like a broken connection.
      await readPart(file, 0)
      if (!(error instanceof Unavailable) || ++failures > MAX_FAILURES) throw error
      const pause = error.seconds === undefined ? FIRST_PAUSE_MS * 2 ** (failures - 1) : error.seconds * 1000
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}

interface UploadState {
  readonly bytes: number
  readonly complete: boolean
}
