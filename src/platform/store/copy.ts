import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { readRegularFile, writeAtomically } from '../files/index.ts'
import { OTHER_USAGE, type UsageRow } from './counts.ts'
import type { Store } from './store.ts'

/** Rows per write to the target. */
const CHUNK = 1000
/** Set in the target while it is written, so that an interrupted copy is not mistaken for a backup. */
const UNFINISHED_COPY = 'unfinished-copy'
const SAME_STORE_CHECK = 'same-store-check'

export type RecordCounts = ReturnType<typeof countAll>

export const countRecords = async (store: Store): Promise<RecordCounts> => countAll(await readAll(store))

/** Whether a copy into the store was interrupted, so that data is missing. */
export const isUnfinishedCopy = async ({ markers }: Store): Promise<boolean> =>
  (await markers.get(UNFINISHED_COPY)) !== undefined

/** Its numbers of downloads and changes, one of its writers, which a copy has, too, and the name of the store used last. */
export const lastStoreFile = (dataDir: string) => join(dataDir, 'last-store')

/** For files and messages: without a user name and a password. */
export const nameStore = (url: string): string => url.replace(/\/\/.*@/s, '//')

const NO_WRITER = 'none'
const LAST_STORE_INTERVAL_MS = 60_000

/**
 * Returns a function that resolves to a problem if STORE_URL names another store than before, which lacks downloads of
 * the earlier one, or if the database has fewer downloads or changes than before. Otherwise it records the store, and
 * does nothing for a minute.
 */
export function createLastStoreCheck({ downloads, countChanges }: Store, url: string, dataDir: string) {
  const name = nameStore(url)
  let nextAt = 0
  return async (): Promise<string | undefined> => {
    if (performance.now() < nextAt) return undefined
    const text = (await readRegularFile(lastStoreFile(dataDir)).catch(() => '')).toString()
    const [, lastTotal, lastChanges, lastWriter, lastName = name] = /^(\d+)(?:\/(\d+))? (\S+) (.*)$/s.exec(text) ?? []
    const [{ total }, writers] = [await downloads.summary(1), await downloads.writers()]
    const changes = (await countChanges?.()) ?? 0
    const isLess = total < Number(lastTotal)
    const hasWriter = lastWriter === NO_WRITER || writers.some(({ writer }) => writer === lastWriter)
    if (lastName !== name && (isLess || !hasWriter))
      return (
        `STORE_URL names another store than before, which lacks downloads of the earlier one (${lastTotal}): set it ` +
        'back, or stop the service and run "store copy <earlier STORE_URL> current"; to confirm it, run "store accept"'
      )
    // Redis notices it by other means, and another node may have restored a backup.
    if (lastName === name && countChanges && (isLess || changes < Number(lastChanges)))
      return (
        `the database lost ${isLess ? `downloads (it had ${lastTotal})` : 'changes of tokens, keys or bans'}, or was ` +
        'replaced by an older one: restore a backup, and check tokens, keys and bans; to confirm it, run "store accept"'
      )
    if (total === 0 && changes === 0) return undefined
    await writeAtomically(lastStoreFile(dataDir), `${total}/${changes} ${writers[0]?.writer ?? NO_WRITER} ${name}`)
    nextAt = performance.now() + LAST_STORE_INTERVAL_MS
    return undefined
  }
}

/** The source or the target is not suitable, or the copy is not complete. */
export class CopyError extends Error {}

/**
 * Copies everything except markers, and compares the record counts afterwards. Refuses a target that is not empty;
 * `force` empties it first. Stop the service before: what it writes meanwhile is not copied.
 */
export async function copyStore(from: Store, to: Store, { force = false } = {}): Promise<RecordCounts> {
  // Read the source before the target is emptied: it may be unavailable, or the same store under another URL.
  const all = await readAll(from)
  if (await isUnfinishedCopy(from))
    throw new CopyError('the source is itself an unfinished copy; repeat that copy first')
  if (await isSameStore(from, to)) throw new CopyError('both are the same store')
  const writer = `copy-${randomUUID()}`
  // What the target had confirmed stays confirmed: the nodes would report it as lost.
  const numbers = new Map((force ? await to.downloads.writers() : []).map((known) => [known.writer, known.number]))
  for (const known of all.writers) numbers.set(known.writer, Math.max(known.number, numbers.get(known.writer) ?? 0))
  if (force) await to.clear({ [UNFINISHED_COPY]: writer })
  const present = describeCounts(await countRecords(to))
  if (present) throw new CopyError(`the target already holds ${present}; copy with force to empty it first`)

  await to.markers.set(UNFINISHED_COPY, writer)
  let number = 0
  for (const rows of splitIntoChunks(all.downloads)) await to.downloads.add({ writer, number: ++number, rows })
  for (const day of all.adoptionDays) await to.adoption.add({ writer, number: ++number, ...day })
  for (const { day, rows } of all.usageDays)
    await to.usage.add({ writer, number: ++number, day, rows: putOthersLast(rows) })
  // The writers' numbers are copied too: a journal imported into the copy must not count a batch twice.
  for (const [writer, number] of numbers) await to.downloads.add({ writer, number, rows: [] })
  for (const records of splitIntoChunks(all.clients)) await to.clients.put(records)
  for (const records of splitIntoChunks(all.tokens)) await to.tokens.put(records)
  for (const records of splitIntoChunks(all.bans)) await to.bans.put(records)
  for (const records of splitIntoChunks(all.strikes)) await to.strikes.put(records)

  const found = await readAll(to)
  const names = new Set(all.writers.map((known) => known.writer))
  const copied = { ...found, writers: found.writers.filter((known) => names.has(known.writer)) }
  // Bans and strikes that ended meanwhile are not listed any more.
  const now = Date.now()
  const [expected, actual] = [countAll(withoutEnded(all, now)), countAll(withoutEnded(copied, now))]
  const differing = (Object.keys(expected) as (keyof RecordCounts)[]).filter((name) => expected[name] !== actual[name])
  if (differing.length > 0) {
    const details = differing.map((name) => `${actual[name]} of ${expected[name]} ${name}`).join(', ')
    throw new CopyError(`the copy is not complete: ${details}`)
  }
  await to.markers.remove(UNFINISHED_COPY)
  return countAll(copied)
}

/** Two URLs can lead to one store (a symbolic link, localhost and 127.0.0.1): a marker in one shows in the other. */
async function isSameStore(from: Store, to: Store): Promise<boolean> {
  const value = randomUUID()
  await to.markers.set(SAME_STORE_CHECK, value)
  try {
    return (await from.markers.get(SAME_STORE_CHECK)) === value
  } finally {
    await to.markers.remove(SAME_STORE_CHECK)
  }
}

async function readAll({ downloads, adoption, usage, clients, tokens, bans, strikes }: Store) {
  const days = await adoption.days('')
  return {
    downloads: await downloads.rows(),
    /** Without the salt of today, which must not outlive the day in a backup. */
    adoptionDays: await Promise.all(days.map(async (day) => ({ ...day, sketch: await adoption.sketch(day.day) }))),
    // One day after the other: 400 days are megabytes.
    usageDays: await Array.fromAsync(await usage.days(), async (day) => ({ day, rows: await usage.rows(day) })),
    writers: await downloads.writers(),
    clients: await clients.list(),
    tokens: await tokens.list(),
    bans: await bans.list(),
    strikes: await strikes.list(),
  }
}

type Records = Awaited<ReturnType<typeof readAll>>

const withoutEnded = (all: Records, now: number): Records => ({
  ...all,
  bans: all.bans.filter(({ until }) => until > now),
  strikes: all.strikes.filter(({ expiresAt }) => expiresAt > now),
})

/** The number of records per part; `downloadTotal` is the sum of all download counts. */
const countAll = ({ downloads, ...all }: Records) => ({
  downloadRows: downloads.length,
  downloadTotal: downloads.reduce((sum, { count }) => sum + count, 0),
  adoptionDays: all.adoptionDays.length,
  usageDays: all.usageDays.length,
  usageRows: all.usageDays.reduce((sum, { rows }) => sum + rows.length, 0),
  writers: all.writers.length,
  clients: all.clients.length,
  tokens: all.tokens.length,
  bans: all.bans.length,
  strikes: all.strikes.length,
})

const describeCounts = ({ downloadTotal, adoptionDays, usageDays, clients, tokens, bans, strikes }: RecordCounts) =>
  Object.entries({
    downloads: downloadTotal,
    'adoption days': adoptionDays,
    'usage days': usageDays,
    clients,
    tokens,
    bans,
    strikes,
  })
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${count === 1 ? name.slice(0, -1) : name}`)
    .join(', ')

/** A day has space for `others` after any number of names, but not for all names after `others`. */
const putOthersLast = (rows: readonly UsageRow[]) =>
  rows.toSorted((a, b) => Number(a.name === OTHER_USAGE) - Number(b.name === OTHER_USAGE))

const splitIntoChunks = <T>(all: T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / CHUNK) }, (_, index) => all.slice(index * CHUNK, (index + 1) * CHUNK))
