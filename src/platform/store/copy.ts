import { randomUUID } from 'node:crypto'
import type { Store, Strike } from './store.ts'

/** Rows of one message to the other store. */
const CHUNK = 1000
/** The mark is taken away at once; the end is for a copy that is killed in that moment. */
const MARK_MS = 366 * 86_400_000
/** Kept among the strikes of the target while it is written: a copy that is cut off must not be taken for a backup. */
const UNFINISHED = 'unfinished copy'
const NEVER = 8.64e15

/** How many records of each sort a store holds; `counted` is the sum of all download counts. */
export interface Holdings {
  downloads: number
  counted: number
  writers: number
  clients: number
  tokens: number
  bans: number
  strikes: number
}

export const holdingsIn = async (store: Store): Promise<Holdings> => holdingsOf(await readAll(store))

/** Not about the store being away: the target is not what a copy may be written to, or is not equal afterwards. */
export class CopyRefused extends Error {}

/**
 * Copies everything, and counts it again in the target. A target that holds anything is refused, or emptied first
 * with `force`. Stop the service before: what it counts meanwhile would be left behind.
 */
export async function copyStore(from: Store, to: Store, { force = false } = {}): Promise<Holdings> {
  // Before anything is emptied: the source may be away, or be the target by another name.
  const all = await readAll(from)
  if (all.strikes.some(isUnfinished)) {
    throw new CopyRefused('the source is itself a copy that was not finished; make that copy again')
  }
  if (await isSame(from, to)) throw new CopyRefused('both are the same store')
  if (force) await to.clear()
  const present = describe(await holdingsIn(to))
  if (present) throw new CopyRefused(`the target holds ${present} already; with force it is emptied first`)

  await to.strikes.put([{ key: UNFINISHED, score: 1, expiresAt: NEVER }])
  const writer = `copy-${randomUUID()}`
  for (const [index, rows] of chunks(all.downloads).entries()) {
    await to.downloads.add({ writer, number: index + 1, rows })
  }
  // A journal that is replayed against the copy must not count what the original has counted.
  for (const known of all.writers) await to.downloads.add({ ...known, rows: [] })
  for (const records of chunks(all.clients)) await to.clients.put(records)
  for (const records of chunks(all.tokens)) await to.tokens.put(records)
  for (const records of chunks(all.bans)) await to.bans.put(records)
  for (const records of chunks(all.strikes)) await to.strikes.put(records)

  const copied = await readAll(to)
  const writers = copied.writers.filter((known) => known.writer !== writer)
  const strikes = copied.strikes.filter((strike) => !isUnfinished(strike))
  const [wanted, found] = [holdingsOf(all), holdingsOf({ ...copied, writers, strikes })]
  const differing = (Object.keys(wanted) as (keyof Holdings)[]).filter((name) => wanted[name] !== found[name])
  if (differing.length > 0) {
    throw new CopyRefused(
      `the copy is not complete: ${differing.map((name) => `${found[name]} of ${wanted[name]} ${name}`).join(', ')}`,
    )
  }
  await to.strikes.clear(UNFINISHED)
  return found
}

const isUnfinished = ({ key }: Strike) => key === UNFINISHED

/** Two URLs can lead to one store (a link, localhost and 127.0.0.1): a mark in one then shows in the other. */
async function isSame(from: Store, to: Store): Promise<boolean> {
  const key = `copy:${randomUUID()}`
  await to.strikes.add(key, 1, Date.now() + MARK_MS)
  try {
    return (await from.strikes.list()).some((strike) => strike.key === key)
  } finally {
    await to.strikes.clear(key)
  }
}

async function readAll({ downloads, clients, tokens, bans, strikes }: Store) {
  return {
    downloads: await downloads.rows(),
    writers: await downloads.writers(),
    clients: await clients.list(),
    tokens: await tokens.list(),
    bans: await bans.list(),
    strikes: await strikes.list(),
  }
}

function holdingsOf(all: Awaited<ReturnType<typeof readAll>>): Holdings {
  return {
    downloads: all.downloads.length,
    counted: all.downloads.reduce((sum, { count }) => sum + count, 0),
    writers: all.writers.length,
    clients: all.clients.length,
    tokens: all.tokens.length,
    bans: all.bans.length,
    strikes: all.strikes.length,
  }
}

const describe = ({ counted: _, writers: __, ...records }: Holdings) =>
  Object.entries(records)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${count === 1 ? name.slice(0, -1) : name}`)
    .join(', ')

const chunks = <T>(all: T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / CHUNK) }, (_, index) => all.slice(index * CHUNK, (index + 1) * CHUNK))
