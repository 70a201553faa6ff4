import { LRUCache } from 'lru-cache'
import { Busy } from '../../errors/index.ts'
import { createFairSemaphore } from '../../platform/concurrency/index.ts'
import type { Log } from '../../platform/logging/index.ts'
import { listNetworks } from '../../platform/net/index.ts'
import type { ImageJob, ProcessedImage } from './engine.ts'
import { mediaType, outputFormats } from './formats.ts'
import { isStorable, type SourceRecord } from './source-cache.ts'

/** In Redis, shared by all nodes, or on the disk of a single node. Lost results are computed again. */
export interface SecondLevelCache {
  /** Stores only what is used again: writing every result to a disk costs more than it saves. */
  readonly storesOnReuse?: boolean
  get(key: string): Promise<Buffer | undefined>
  set(key: string, bytes: Buffer, ttlMs: number): Promise<void>
}

export type SafeCache = ReturnType<typeof ignoreCacheErrors>

/** If the second-level cache is unavailable or contains invalid data, images are processed again. */
export function ignoreCacheErrors(cache: SecondLevelCache | undefined, log: Pick<Log, 'warn'> | undefined) {
  const warn = (error: unknown) => void log?.warn({ err: error }, 'the second-level cache failed')
  return {
    storesOnReuse: cache?.storesOnReuse ?? false,
    async read<T>(key: string, parse: (bytes: Buffer) => T): Promise<T | undefined> {
      try {
        const bytes = await cache?.get(key)
        return bytes && parse(bytes)
      } catch (error) {
        return warn(error)
      }
    },
    write(key: string, serialize: () => Buffer, ttlMs: number): void {
      cache?.set(key, serialize(), ttlMs).catch(warn)
    },
  }
}

export type Result = Omit<ProcessedImage, 'timings'>
export type Variant = Omit<ImageJob, 'bytes'>

/** Names a result by what it was made from. */
export interface ResultName {
  key: string
  etag: string
  /** Seconds for which the source is fresh. */
  maxAge: number
}

/** Names what is done to a source: `blur:5+invert/webp/300x200:cover/50000`. Without commas, which separate ETags. */
export function nameVariant({ steps, output, resize, maxBytes }: Variant): string {
  const size = resize && `${resize.width ?? ''}x${resize.height ?? ''}:${resize.fit}`
  const names = steps.map(({ filter, strength }) => (strength === undefined ? filter : `${filter}:${strength}`))
  return [names.join('+'), output, size, maxBytes].join('/')
}

/**
 * Names the results of one variant. `version` separates engines that produce other bytes. The last name is cached,
 * because the source is nearly always the same as before.
 */
export function createResultNaming(version: string, variant: Variant) {
  const variantName = nameVariant(variant)
  let last: (Pick<SourceRecord, 'digest' | 'policy'> & Omit<ResultName, 'maxAge'> & { canStore: boolean }) | undefined
  return (source: SourceRecord): ResultName => {
    const { digest, policy } = source
    if (last?.policy !== policy || last.digest !== digest) {
      const key = `${digest}/${version}/${variantName}`
      last = { digest, policy, key, etag: `"${key}"`, canStore: isStorable(source) }
    }
    const freshMs = last.canStore ? source.freshUntil - Date.now() : 0
    return { key: last.key, etag: last.etag, maxAge: Math.max(0, Math.floor(freshMs / 1000)) }
  }
}

export interface ResultCacheOptions {
  maxBytes: number
  /** Lifetime in the second-level cache. Results never become stale, because their key names what they were made from. */
  sharedForMs: number
}

/** Per entry, for its key and bookkeeping. */
const ENTRY_OVERHEAD_BYTES = 512
/** A result may have megabytes, and hundreds of requests may need it at once. One that waits longer computes it. */
const readLimits = {
  maxRunning: 2,
  maxRunningPerGroup: 1,
  maxWaiting: 500,
  waitTimeoutMs: 500,
  computeRetryAfter: () => 1,
}

/** Finished images by key, in memory and in the second-level cache. */
export function createResultCache(shared: SafeCache, { maxBytes, sharedForMs }: ResultCacheOptions) {
  const memory = new LRUCache<string, Result>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => bytes.length + ENTRY_OVERHEAD_BYTES,
  })
  /** Results that are stored at their second use. */
  const unstored = new WeakSet<Result>()
  const reads = createFairSemaphore(readLimits)
  const store = (key: string, result: Result) =>
    shared.write(`result:${key}`, () => serializeResult(result), sharedForMs)

  return {
    get(key: string): Result | undefined {
      const result = memory.get(key)
      if (result && unstored.delete(result)) store(key, result)
      return result
    },
    /** Clients take turns. */
    async readSecondLevel(key: string, client: string, signal: AbortSignal): Promise<Result | undefined> {
      try {
        using _turn = await reads.acquire(listNetworks(client), signal)
        // Another request may have read it meanwhile.
        const known = memory.get(key)
        if (known) return known
        const result = await shared.read(`result:${key}`, parseResult)
        if (result) memory.set(key, result)
        return result
      } catch (error) {
        if (error instanceof Busy) return undefined
        throw error
      }
    },
    write(key: string, result: Result): void {
      memory.set(key, result)
      if (shared.storesOnReuse) unstored.add(result)
      else store(key, result)
    },
    status: () => ({ entries: memory.size, bytes: memory.calculatedSize }),
  }
}

/** The length of the details, the details as JSON, the image. */
function serializeResult({ bytes, ...details }: Result): Buffer {
  const json = Buffer.from(JSON.stringify(details))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(json.length)
  return Buffer.concat([length, json, bytes])
}

const imageTypes = new Set(outputFormats.map(mediaType))

/** Throws unless it is an image: nothing from the second-level cache is ever sent as a page or a script. */
function parseResult(serialized: Buffer): Result {
  const end = 4 + serialized.readUInt32BE(0)
  const { type, width, height, frameCount } = JSON.parse(serialized.toString('utf8', 4, end))
  const isImage = imageTypes.has(type) && [width, height, frameCount].every(Number.isInteger)
  if (!isImage || end > serialized.length) throw new Error('the cached result is not an image')
  // A copy: a reply of Redis is a part of a chunk of up to 64 KiB, all of which a cached result would keep in memory.
  return { type, width, height, frameCount, bytes: Buffer.from(new Uint8Array(serialized.subarray(end)).buffer) }
}
