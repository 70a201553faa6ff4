import { ErrorReply } from '@redis/client'
import { within } from '../../concurrency/index.ts'
import type { Log } from '../../logging/index.ts'
import type { SharedPictures } from '../shared.ts'
import { SEAL_BYTES, seal, unseal } from './checksummed-value.ts'
import type { RedisAddress } from './connect.ts'
import { linkRedis } from './link.ts'
import { PREFIX } from './part.ts'
import { partitionOf, partitions } from './partitions.ts'
import { KEEP, OVERHEAD_BYTES, TOUCH } from './picture-scripts.ts'

export interface PictureOptions {
  /** Of all values together; values of one partition have a sixteenth of it. */
  readonly maxBytes: number
  readonly log: Log
  /** A filter waits no longer than this for what may be here. */
  readonly waitMs?: number
  /** How often it is tried whether Redis is back. */
  readonly retryMs?: number
}

const WAIT_MS = 150
const RETRY_MS = 250
/** A large picture over a slow line; nobody waits for it. */
const ANSWER_MS = 3000
/** Larger ones are cheaper to make again than to carry around; also at most a quarter of a partition. */
const LARGEST_BYTES = 8 * 1024 * 1024
/** Pictures on their way to Redis: a slow one must not fill the memory. */
const MAX_UNDER_WAY_BYTES = 32 * 1024 * 1024
const TOUCH_MS = 100
const DAY_MS = 86_400_000

const quiet: Log = { info() {}, warn() {}, error() {} }

/** Values with a share of Redis of their own, over a connection of their own: large ones hold up nothing else. */
export function openPictures(address: RedisAddress, options: PictureOptions): SharedPictures {
  const { maxBytes, log, waitMs = WAIT_MS, retryMs = RETRY_MS } = options
  const room = Math.floor(maxBytes / partitions.length)
  const largest = Math.min(LARGEST_BYTES, Math.floor(room / 4))
  const link = linkRedis(address, { prefix: PREFIX, log: quiet, answerMs: ANSWER_MS })
  const held = partitions.map(() => 0)
  const counts = { hits: 0, misses: 0, late: 0, foreign: 0, kept: 0, leftOut: 0 }
  let isAway = false
  let retrying: NodeJS.Timeout | undefined
  const touched = new Map<string, Set<string>>()
  let touching: NodeJS.Timeout | undefined
  let closed = false
  let underWay = 0

  const keysOf = (name: string) => {
    const partition = partitionOf(name)
    const prefix = `${partitions[partition]}picture:`
    const index = ['used', 'ends', 'sizes', 'bytes'].map((part) => `${partitions[partition]}pictures:${part}`)
    return { partition, prefix, key: prefix + name, index }
  }

  const note = (away: boolean) => {
    if (away !== isAway) {
      if (away) log.warn({}, 'the shared filter results do not answer; this node goes on without')
      else log.info({}, 'the shared filter results are back')
    }
    isAway = away
    clearTimeout(retrying)
    if (away && !closed) retrying = setTimeout(() => judged(read(keysOf('').key)), retryMs).unref()
  }

  const read = (key: string) =>
    link.run((_, readBytes) =>
      readBytes(key, largest + SEAL_BYTES).catch((error) => {
        // Another program's value of another type.
        if (error instanceof ErrorReply && error.message.startsWith('WRONGTYPE')) return Buffer.from('?')
        throw error
      }),
    )

  /** Undefined where there is no answer in time. */
  const judged = async (work: Promise<Buffer | null>): Promise<Buffer | null | undefined> => {
    const value = await within<Buffer | null | undefined>(waitMs, work, () => undefined).catch(() => undefined)
    note(value === undefined)
    return value
  }

  /** Gathered, because Redis need not know at once, and a call costs more than a name. */
  const touch = (name: string, [used = '']: string[]) => {
    touched.set(used, (touched.get(used) ?? new Set()).add(name))
    touching ??= setTimeout(() => {
      touching = undefined
      for (const [key, names] of touched) {
        link.run((client) => client.eval(TOUCH, { keys: [key], arguments: [...names] })).catch(() => {})
      }
      touched.clear()
    }, TOUCH_MS).unref()
  }

  return {
    async get(name) {
      const { key, index } = keysOf(name)
      if (isAway) {
        counts.late++
        return undefined
      }
      const value = await judged(read(key))
      if (value === undefined) {
        counts.late++
        return undefined
      }
      const bytes = value && value.length > 0 ? unseal(name, value) : undefined
      if (bytes) {
        counts.hits++
        touch(name, index)
      } else if (value && value.length > 0) counts.foreign++
      else counts.misses++
      return bytes
    },

    async set(name, bytes, ttlMs) {
      const size = bytes.length + SEAL_BYTES + OVERHEAD_BYTES
      if (isAway || bytes.length > largest || underWay + size > MAX_UNDER_WAY_BYTES) {
        counts.leftOut++
        return
      }
      const { partition, prefix, key, index } = keysOf(name)
      const ttl = Math.max(1, Math.ceil(ttlMs))
      const numbers = [size, ttl, room].map(String)
      underWay += size
      try {
        const answer = await link.run((client) =>
          client.eval(KEEP, {
            keys: [key, ...index],
            arguments: [name, seal(name, bytes), ...numbers, prefix, String(ttl + DAY_MS)],
          }),
        )
        held[partition] = Number(answer)
        counts.kept++
      } catch {
        counts.leftOut++
      } finally {
        underWay -= size
      }
    },

    status: () => ({ ...counts, isAway, bytes: held.reduce((sum, bytes) => sum + bytes, 0) }),
    async close() {
      clearTimeout(retrying)
      clearTimeout(touching)
      closed = true
      await link.close()
    },
  }
}
