import { LRUCache } from 'lru-cache'
import { type Job, mediaType, outputFormats, type Processed } from './engine/index.ts'
import type { SharedCache } from './second-level.ts'

export type Result = Omit<Processed, 'timings'>
export type Variant = Omit<Job, 'bytes'>

export interface ResultOptions {
  /** Bytes of results that are kept in memory. */
  maxBytes: number
  /** How long the second level keeps one; they never go stale, being named by what they were made of. */
  sharedForMs: number
}

const pictureTypes = new Set(outputFormats.map(mediaType))

/** Names a result by what it was made of, fit for an ETag; `version` parts those of different engines. */
export const resultKey = (version: string, digest: string, { filter, strength, output }: Variant) =>
  [digest, version, filter, strength, output].join('/')

/** Finished pictures by key, in memory and in a second level where there is one. */
export function createResults(sharedCache: SharedCache, { maxBytes, sharedForMs }: ResultOptions) {
  const memory = new LRUCache<string, Result>({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => bytes.length + 512 })

  return {
    get: (key: string): Result | undefined => memory.get(key),
    /** From the second level. */
    async recall(key: string): Promise<Result | undefined> {
      const result = await sharedCache.find(`result:${key}`, unpack)
      if (result) memory.set(key, result)
      return result
    },
    keep(key: string, result: Result): void {
      memory.set(key, result)
      sharedCache.keep(`result:${key}`, () => pack(result), sharedForMs)
    },
    status: () => ({ entries: memory.size, bytes: memory.calculatedSize }),
  }
}

/** Length of the facts, the facts as JSON, the picture. */
function pack({ bytes, ...facts }: Result): Buffer {
  const json = Buffer.from(JSON.stringify(facts))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(json.length)
  return Buffer.concat([length, json, bytes])
}

/** Throws where it is no picture of ours: nothing from a shared cache is handed out as a page or a script. */
function unpack(packed: Buffer): Result {
  const end = 4 + packed.readUInt32BE(0)
  const { type, width, height, pages } = JSON.parse(packed.toString('utf8', 4, end))
  const isPicture = pictureTypes.has(type) && [width, height, pages].every(Number.isInteger)
  if (!isPicture || end > packed.length) throw new Error('the shared result is not a picture')
  return { type, width, height, pages, bytes: packed.subarray(end) }
}
