import type { RedisCommands } from './connect.ts'
import type { RedisLink } from './link.ts'

/** The braces keep all keys in one slot of a cluster, so that a script may touch several. */
export const PREFIX = '{menagerie}:'

export type Linked = { link: RedisLink; clock: () => number }

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

export const readNumber = async (link: RedisLink, key: string): Promise<number> =>
  Number((await link.run((client) => client.get(PREFIX + key))) ?? 0)

/** Records as JSON by id, the oldest first. */
export async function readRecords<T extends { id: string; createdAt: number }>(
  link: RedisLink,
  key: string,
): Promise<T[]> {
  const records = [...(await readHash(link, key)).values()].map((text) => JSON.parse(text) as T)
  return records.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
}
