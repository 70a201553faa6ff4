// Limits how many uploads, and how many bytes, may wait for a change. Old uploads are removed first.
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { StorageFull } from '../../errors/index.ts'
import { hasSpace, readJson, writeAtomically } from '../../platform/files/index.ts'

/** File name suffix of an incomplete upload. */
export const PART = '.part'
/** An upload that nobody continued or published for this long is removed. */
const MAX_AGE_MS = 24 * 60 * 60_000
/** All uploads together may have this many times the bytes of one. */
const MAX_TOTAL_FACTOR = 4
const MAX_UPLOADS = 1000
/** Less than MAX_UPLOADS, so that one token leaves some to the others. One change may use as many: 500 pictures. */
const MAX_UPLOADS_OF_TOKEN = 500
const MAX_TOTAL_FACTOR_OF_TOKEN = 3
/** If a limit is reached, uploads that nobody continued for this long are removed. */
const MAX_IDLE_MS = 60 * 60_000
const UPLOAD_NAME = /^([0-9a-f]{64})(?:\.part)?$/
/** The id of the token that began an upload, by its SHA-256. */
const OWNERS_FILE = 'owners.json'

interface ArrivingUpload {
  readonly part: string
  readonly size: number
  /** The id of the token. */
  readonly owner: string
  /** Ends the request at once, also if it waits for its body. */
  displace?: () => void
}

interface FoundUpload {
  readonly name: string
  readonly sha256: string
  readonly owner: string | undefined
  /** Size of the complete file, if it is known. */
  readonly bytes: number
  readonly missingBytes: number
  readonly idleMs: number
}

const sumBytes = (uploads: readonly FoundUpload[]) => uploads.reduce((total, { bytes }) => total + bytes, 0)

/** An object in a JSON file. Empty if there is no such file. */
export const readRecord = async (path: string) => ((await readJson(path)) ?? {}) as Record<string, string>

export function createUploadQuota(folder: string, maxBytes: number) {
  /** Requests whose bodies are arriving, with the final size of their files. Several may send the same file. */
  const arriving = new Set<ArrivingUpload>()

  /** Removes old files, and returns the uploads that are left. */
  const findAll = async (): Promise<FoundUpload[]> => {
    const found: FoundUpload[] = []
    const [requests, owners] = [Map.groupBy(arriving, ({ part }) => part), await readRecord(join(folder, OWNERS_FILE))]
    for (const name of new Set([...(await readdir(folder)), ...requests.keys()])) {
      const { size = 0, mtimeMs = Date.now() } = (await stat(join(folder, name)).catch(() => undefined)) ?? {}
      const [first, ...others] = requests.get(name) ?? []
      // Abs: the clock may have been ahead.
      const idleMs = first ? 0 : Math.abs(Date.now() - mtimeMs)
      const [, sha256] = UPLOAD_NAME.exec(name) ?? []
      if (idleMs > MAX_AGE_MS) await rm(join(folder, name), { force: true })
      else if (sha256) {
        const expected = others.reduce((largest, other) => Math.max(largest, other.size), first?.size ?? 0)
        const owner = owners[sha256] ?? first?.owner
        found.push({ name, sha256, owner, bytes: Math.max(size, expected), missingBytes: expected - size, idleMs })
      }
    }
    return found
  }

  const isAbove = (list: readonly FoundUpload[], count: number, factor: number) =>
    list.length > count || sumBytes(list) > maxBytes * factor
  const isFull = (uploads: readonly FoundUpload[]) => isAbove(uploads, MAX_UPLOADS, MAX_TOTAL_FACTOR)
  const isShareFull = (own: readonly FoundUpload[]) => isAbove(own, MAX_UPLOADS_OF_TOKEN, MAX_TOTAL_FACTOR_OF_TOKEN)

  const describeFull = (uploads: readonly FoundUpload[], owner: string): string | undefined => {
    const own = uploads.filter((upload) => upload.owner === owner)
    if (isFull(uploads)) return `There are ${uploads.length} uploads with ${sumBytes(uploads)} bytes.`
    if (isShareFull(own)) return `This token has ${own.length} uploads with ${sumBytes(own)} bytes.`
    return undefined
  }

  const remove = async ({ name }: FoundUpload) => {
    for (const request of arriving) {
      if (request.part !== name) continue
      arriving.delete(request)
      request.displace?.()
    }
    await rm(join(folder, name), { force: true })
  }

  const computeShare = (list: readonly FoundUpload[]) =>
    Math.max(list.length / MAX_UPLOADS, sumBytes(list) / (maxBytes * MAX_TOTAL_FACTOR))

  /** The oldest upload of the token with the largest share, if that is larger than the share of `owner`. */
  const findDisplaceable = (uploads: readonly FoundUpload[], { owner, part }: ArrivingUpload) => {
    const byOwner = Map.groupBy(uploads, (upload) => upload.owner)
    const own = byOwner.get(owner) ?? []
    if (!isFull(uploads) || isShareFull(own)) return undefined
    byOwner.delete(undefined)
    const [largest = []] = [...byOwner.values()].sort((a, b) => computeShare(b) - computeShare(a))
    if (computeShare(largest) <= computeShare(own)) return undefined
    return largest.filter(({ name }) => name !== part).sort((a, b) => b.idleMs - a.idleMs)[0]
  }

  const assertSpace = async (request: ArrivingUpload) => {
    const { owner, part } = request
    let uploads = await findAll()
    const idle = uploads.filter(({ idleMs }) => idleMs > MAX_IDLE_MS).sort((a, b) => b.idleMs - a.idleMs)
    let problem = describeFull(uploads, owner)
    while (problem) {
      // Uploads of a token that has more of them are removed: two tokens must not keep a third from publishing.
      const next = idle.shift() ?? findDisplaceable(uploads, request)
      if (!next) break
      await remove(next)
      uploads = uploads.filter((upload) => upload !== next)
      problem = describeFull(uploads, owner)
    }
    if (problem) throw new StorageFull(`${problem} Publish them, or wait: idle uploads are removed after an hour.`)
    const missingBytes = uploads.reduce((total, upload) => total + Math.max(0, upload.missingBytes), 0)
    if (!(await hasSpace(folder, missingBytes))) throw new StorageFull('The disk of DATA_DIR is full.')
    const owners = Object.fromEntries(uploads.map((upload) => [upload.sha256, upload.owner]))
    const isNew = !(await stat(join(folder, part)).catch(() => undefined))
    if (isNew) await writeAtomically(join(folder, OWNERS_FILE), JSON.stringify(owners))
  }

  let reserving = Promise.resolve()
  /** Counts an upload before it arrives. One call at a time: otherwise concurrent uploads could refuse each other. */
  const reserve = (request: ArrivingUpload) => {
    const release = () => void arriving.delete(request)
    /** Fails when the upload was removed for one of another token. */
    async function* check(body: AsyncIterable<Uint8Array>) {
      const chunks = body[Symbol.asyncIterator]()
      for (;;) {
        const next = Promise.withResolvers<IteratorResult<Uint8Array>>()
        request.displace = () =>
          next.reject(new StorageFull('Another token needs the space. Send the file again later.'))
        if (!arriving.has(request)) request.displace()
        chunks.next().then(next.resolve, next.reject)
        const { done, value } = await next.promise
        if (done) return
        yield value
      }
    }
    const reserved = reserving.then(async () => {
      arriving.add(request)
      await assertSpace(request)
      return { check, [Symbol.dispose]: release }
    })
    reserving = reserved.then(() => {}, release)
    return reserved
  }

  return { reserve }
}
