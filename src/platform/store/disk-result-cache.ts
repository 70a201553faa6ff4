// The cache of filter results of a single node: files that survive a restart. Lost results are computed again.
import { createHmac, hash, randomBytes, subtle, timingSafeEqual } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { readRegularFile, readUpTo } from '../files/index.ts'
import { createRecentProblem, type Log } from '../logging/index.ts'

interface DiskCacheOptions {
  readonly folder: string
  readonly maxBytes: number
  readonly log: Pick<Log, 'warn'>
  readonly clock?: () => number
}

/** A file takes at least one block of the disk. */
const OVERHEAD_BYTES = 4096
/** Results that are being written: a slow disk must not fill the memory. */
const MAX_IN_FLIGHT_BYTES = 32 * 2 ** 20
const KEY_BYTES = 32
const MAC_BYTES = 32
const HEADER_BYTES = MAC_BYTES + 8
const KEY_FILE = 'key'
const FILE_NAME = /^[0-9a-f]{64}$/

/** Reads the key that authenticates files, or creates one. Without it, nobody can add or change a result. */
async function loadKey(folder: string): Promise<Buffer> {
  const file = join(folder, KEY_FILE)
  const stored = await readRegularFile(file).catch(() => undefined)
  if (stored?.length === KEY_BYTES) return stored
  const key = randomBytes(KEY_BYTES)
  await rm(file, { recursive: true, force: true })
  await writeFile(file, key, { mode: 0o600 })
  return key
}

/** No method rejects. */
export function openDiskResultCache({ folder, maxBytes, log, clock = Date.now }: DiskCacheOptions) {
  const counts = { hits: 0, misses: 0, timeouts: 0, invalid: 0, stored: 0, skipped: 0 }
  const pathOf = (file: string) => join(folder, file)
  const remove = (file: string) => rm(pathOf(file), { force: true }).catch(() => {})
  const sizes = new LRUCache<string, number>({
    maxSize: maxBytes,
    sizeCalculation: (bytes) => bytes + OVERHEAD_BYTES,
    dispose: (_, file, reason) => {
      if (reason !== 'set') void remove(file)
    },
  })
  const maxResultBytes = Math.floor(maxBytes / 4) - OVERHEAD_BYTES
  let inFlightBytes = 0
  let isFailing = false
  const failure = createRecentProblem()
  const ready = start()

  async function start(): Promise<Buffer | undefined> {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const key = await loadKey(folder)
      const names = await readdir(folder)
      const files = names.filter((name) => FILE_NAME.test(name))
      const found = await Promise.all(files.map(async (file) => ({ file, ...(await describeFile(file)) })))
      // The oldest first: it is evicted first. One that is larger than a lowered limit is not accepted.
      for (const { file, size } of found.toSorted((a, b) => a.time - b.time))
        if (!sizes.set(file, size).has(file)) await remove(file)
      // A write that a crash interrupted.
      await Promise.all(names.filter((name) => name.endsWith('.tmp')).map(remove))
      return key
    } catch (error) {
      reportFailure(error)
      return undefined
    }
  }

  const describeFile = (file: string) =>
    stat(pathOf(file)).then(
      ({ size, mtimeMs }) => ({ size, time: mtimeMs }),
      () => ({ size: 0, time: 0 }),
    )

  /** Logs the first failure of a series. */
  function reportFailure(error: unknown): void {
    if (!isFailing) log.warn({ err: error }, 'the result cache on disk cannot be used')
    isFailing = true
    failure.report('the result cache in DATA_DIR cannot be used; see the log')
  }

  /**
   * Covers the name, so that a file cannot take the place of another. Another thread computes the digest: on some
   * processors it takes 9 ms per megabyte.
   */
  async function authenticate(key: Buffer, name: string, expiry: Buffer, bytes: Buffer): Promise<Buffer> {
    const digest = new Uint8Array(await subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>))
    return createHmac('sha256', key).update(`${name.length}:${name}`).update(expiry).update(digest).digest()
  }

  async function write(name: string, bytes: Buffer, ttlMs: number): Promise<void> {
    const key = await ready
    if (!key) return void counts.skipped++
    const file = hash('sha256', name)
    const expiry = Buffer.alloc(8)
    expiry.writeDoubleBE(clock() + ttlMs)
    const temporary = `${pathOf(file)}.${randomBytes(4).toString('hex')}.tmp`
    try {
      // Somebody may have removed it.
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const mac = await authenticate(key, name, expiry, bytes)
      await using handle = await open(temporary, 'wx', 0o600)
      // Not `writev`, which writes only a part if the disk is almost full.
      await handle.writeFile([mac, expiry, bytes])
      await rename(temporary, pathOf(file))
      sizes.set(file, HEADER_BYTES + bytes.length)
      counts.stored++
      isFailing = false
    } catch (error) {
      counts.skipped++
      reportFailure(error)
      await rm(temporary, { force: true }).catch(() => {})
    }
  }

  /** A file is invalid if it was not written by this service under this name, or was changed. */
  async function verify(key: Buffer, name: string, content: Buffer): Promise<Buffer | 'invalid' | 'expired'> {
    if (content.length < HEADER_BYTES) return 'invalid'
    const [expiry, bytes] = [content.subarray(MAC_BYTES, HEADER_BYTES), content.subarray(HEADER_BYTES)]
    const mac = await authenticate(key, name, expiry, bytes)
    if (!timingSafeEqual(content.subarray(0, MAC_BYTES), mac)) return 'invalid'
    return expiry.readDoubleBE() > clock() ? bytes : 'expired'
  }

  return {
    storesOnReuse: true,
    async get(name: string): Promise<Buffer | undefined> {
      const key = await ready
      const file = hash('sha256', name)
      // Also marks it as used.
      const isThere = sizes.get(file) !== undefined
      const content =
        key && isThere ? await readUpTo(pathOf(file), maxResultBytes + HEADER_BYTES).catch(() => undefined) : undefined
      const found = key && content && (await verify(key, name, content))
      if (found instanceof Buffer) {
        counts.hits++
        return found
      }
      if (found === 'invalid') counts.invalid++
      else counts.misses++
      if (isThere) sizes.delete(file)
      return undefined
    },

    /** May skip the result: too large, or the disk is too slow or full. */
    async set(name: string, bytes: Buffer, ttlMs: number): Promise<void> {
      if (bytes.length > maxResultBytes || inFlightBytes + bytes.length > MAX_IN_FLIGHT_BYTES) {
        counts.skipped++
        return
      }
      inFlightBytes += bytes.length
      await write(name, bytes, ttlMs)
      inFlightBytes -= bytes.length
    },

    status: () => ({ ...counts, isUnavailable: isFailing, bytes: sizes.calculatedSize }),
    /** Until the next result is stored, or for an hour if there is none. */
    problem: () => (isFailing ? failure.message() : undefined),
    close: async () => void (await ready),
  }
}
