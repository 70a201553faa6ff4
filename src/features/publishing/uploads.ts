// Files that were sent for a later change. An upload is named by its SHA-256, and may arrive in several parts.
import { constants, mkdir, open, rename, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { BodyTooLarge, InvalidContentRange, StorageFull, UploadDigest, UploadOffset } from '../../errors/index.ts'
import { computeSha256, writeAtomically } from '../../platform/files/index.ts'
import { createUploadQuota, PART, readRecord } from './upload-quota.ts'

/** Pictures by the upload that they were made from, for repeated requests. Newest last. */
const USED_FILE = 'used.json'
const MAX_USED = 1000

/** The part of a file that a request contains. */
export interface UploadPart {
  readonly start: number
  /** Exclusive. Undefined: the end of the body. */
  readonly end?: number | undefined
  /** The size of the file. Undefined: the body is the rest of the file. */
  readonly total?: number | undefined
}

type UploadState = { readonly bytes: number; readonly complete: boolean }

export type Uploads = ReturnType<typeof createUploads>

export function createUploads(folder: string, maxBytes: number) {
  const pathOf = (sha256: string) => join(folder, sha256)
  const partOf = (sha256: string) => join(folder, sha256 + PART)
  const sizeOf = async (path: string) => (await stat(path).catch(() => undefined))?.size

  const find = async (sha256: string): Promise<UploadState | undefined> => {
    const size = await sizeOf(pathOf(sha256))
    if (size !== undefined) return { bytes: size, complete: true }
    const bytes = await sizeOf(partOf(sha256))
    return bytes === undefined ? undefined : { bytes, complete: false }
  }

  const readUsed = () => readRecord(join(folder, USED_FILE))
  const { reserve } = createUploadQuota(folder, maxBytes)

  /** Writes at fixed positions: two clients that send the same file at once do not disturb each other. */
  const write = async (path: string, body: AsyncIterable<Uint8Array>, start: number, end: number): Promise<number> => {
    await using handle = await open(path, constants.O_RDWR | constants.O_CREAT)
    let position = start
    for await (const chunk of body) {
      if (position + chunk.length > end) {
        if (end === maxBytes) throw new BodyTooLarge(maxBytes)
        throw new InvalidContentRange('The body has more bytes than Content-Range states.')
      }
      // On a disk that becomes full, a write may succeed in part. The next one then fails.
      for (let done = 0; done < chunk.length; ) {
        const { bytesWritten } = await handle.write(chunk, done, chunk.length - done, position)
        done += bytesWritten
        position += bytesWritten
      }
    }
    await handle.sync()
    return position
  }

  const complete = async (sha256: string, total: number): Promise<void> => {
    const part = partOf(sha256)
    await truncate(part, total)
    const digest = await computeSha256(part)
    if (digest !== sha256) {
      await rm(part, { force: true })
      throw new UploadDigest(digest)
    }
    await rename(part, pathOf(sha256))
  }

  return {
    pathOf,
    find,
    remove: (sha256: string) => rm(pathOf(sha256), { force: true }),
    /** So that it can be sent again: another request with other bytes, or a faulty disk, may have changed the file. */
    async removeChanged(sha256: string): Promise<void> {
      const digest = await computeSha256(pathOf(sha256)).catch(() => sha256)
      if (digest !== sha256) await rm(pathOf(sha256), { force: true })
    },
    /** Files by the SHA-256 of the uploads that they were made from. */
    readUsed,
    async markUsed(files: Readonly<Record<string, string>>): Promise<void> {
      const used = Object.entries({ ...(await readUsed()), ...files }).slice(-MAX_USED)
      await writeAtomically(join(folder, USED_FILE), JSON.stringify(Object.fromEntries(used)))
    },

    /** Stores a part. What arrived before an error stays, so that the client can continue. */
    async receive(sha256: string, body: AsyncIterable<Uint8Array>, { start, end, total }: UploadPart, owner: string) {
      if ((total ?? end ?? 0) > maxBytes) throw new BodyTooLarge(maxBytes)
      await mkdir(folder, { recursive: true })
      const found = await find(sha256)
      if (found?.complete) {
        // The body is read first: most clients read the reply only after they have sent everything.
        let length = 0
        for await (const chunk of body) {
          length += chunk.length
          if (length > maxBytes) throw new BodyTooLarge(maxBytes)
        }
        return found
      }
      const present = found?.bytes ?? 0
      if (start > present) throw new UploadOffset(present)
      // A body of unknown length counts as the longest one.
      using reservation = await reserve({ part: sha256 + PART, size: total ?? end ?? maxBytes, owner })
      try {
        const position = await write(partOf(sha256), reservation.check(body), start, end ?? maxBytes)
        if (end !== undefined && position < end)
          throw new InvalidContentRange(`The body has ${position - start} bytes instead of ${end - start}.`)
        if (position < (total ?? position)) return { bytes: position, complete: false }
        await complete(sha256, position)
        return { bytes: position, complete: true }
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        // It can never be complete, and must not take the space of others for a day.
        if (error instanceof BodyTooLarge) await rm(partOf(sha256), { force: true })
        if (code === 'ENOSPC' || code === 'EDQUOT') throw new StorageFull('The disk of DATA_DIR is full.')
        if (code !== 'ENOENT') throw error
        // Another request completed the same upload, or removed it because of its digest.
        const now = await find(sha256)
        if (now?.complete) return now
        throw new UploadOffset(now?.bytes ?? 0)
      }
    },
  }
}
