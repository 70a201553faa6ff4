import type { Log } from '../../logging/index.ts'
import type { RedisCommands } from './connect.ts'
import type { RedisLink } from './link.ts'

/** The braces keep all keys in one slot of a cluster, so that a script may touch several. */
export const PREFIX = '{menagerie}:'

export type Linked = { link: RedisLink; clock: () => number; log: Log }

/** Each list in chunks that Redis works off without making others wait. */
const CHUNK = 500

export async function inChunks<T>(all: readonly T[], work: (chunk: readonly T[]) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < all.length; start += CHUNK) await work(all.slice(start, start + CHUNK))
}

/** Runs as one step on the server; numbers come back as numbers. */
export const evaluate = (client: RedisCommands, script: string, keys: string[], args: (string | number)[]) =>
  client.eval(script, { keys: keys.map((key) => PREFIX + key), arguments: args.map(String) })

/** All fields of a hash, without making others wait while a large one is read. */
export async function readHash(link: RedisLink, key: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  let cursor = '0'
  do {
    const page = await link.run((client) => client.hScan(PREFIX + key, cursor, { COUNT: 1000 }))
    for (const { field, value } of page.entries) found.set(field, value)
    cursor = page.cursor
  } while (cursor !== '0')
  return found
}

/**
 * Lua: raises the revision whose key the variable `revision` names. It follows the server's clock: a Redis that lost the last
 * writes, or all it held, must not come to a number again under which a node knows what is gone.
 */
export const RAISE = `
  local time = redis.call('TIME')
  local nextRevision = string.format('%.0f',
    math.max(tonumber(redis.call('GET', revision) or '0') + 1, time[1] * 1000000 + time[2]))
  redis.call('SET', revision, nextRevision)`

/**
 * Lua: the moment by which records have ended, of the caller's clock (ARGV[1]) and the server's the earlier one: a node whose
 * clock is ahead must not take away what still holds on the others.
 */
export const ENDED_BY = `
  local serverTime = redis.call('TIME')
  local endedBy = math.min(tonumber(ARGV[1]), serverTime[1] * 1000)`

/** A half more where the records themselves are gone: Redis may evict them and keep the number. */
const REVISION = `
  local revision = redis.call('GET', KEYS[2]) or '0'
  return redis.call('EXISTS', KEYS[1]) == 1 and revision or revision .. '.5'`

export const readRevision = async (link: RedisLink, records: string): Promise<number> =>
  Number(await link.run((client) => evaluate(client, REVISION, [records, `${records}:revision`], [])))
