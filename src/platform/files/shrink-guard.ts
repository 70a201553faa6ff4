// Tells a fault (a lost mount, a truncated file, a deploy that deletes first) from an intended removal.
import { join } from 'node:path'
import type { Problem } from '../logging/index.ts'
import { readJson, writeAtomically } from './safe-files.ts'

/** In the folder that it concerns: it is deployed with the folder, and all nodes that share the folder read it. */
const ACCEPTED_FILE = '.accepted.json'
/** In `ACCEPTED_FILE`: all groups that it does not name. */
const OTHER_GROUPS = '*'
/** A group with fewer entries may lose some of them, but not all. */
const MIN_ENTRIES = 10
/** Losses within this time count as one: some tools delete files one after the other. */
const LOSS_WINDOW_MS = 60_000

/** The number of entries of a group when it was last good. */
export interface Baseline {
  readonly entries: number
  /** When `entries` changed, in milliseconds since 1970. An older confirmation belongs to an earlier loss. */
  readonly changedAt: number
}

/** `lower`: some entries are gone, and more may follow. `shrunk`: all or most are gone, and nobody confirmed it. */
type Verdict = 'good' | 'lower' | 'shrunk'

/** The number of entries of a group: files whose entries are counted together, such as all news. */
export interface EntryCounts {
  /** Name of the group. */
  readonly name: string
  /** Number of entries when the group was last good. */
  readonly before: number
  readonly now: number
  readonly verdict: Verdict
}

export const describeShrink = ({ name, before, now }: EntryCounts, effect: string): Problem => ({
  file: name,
  rule: 'shrunk',
  message: `It has ${now} of ${before} entries. ${effect} Restore it, or confirm the change with "menagerie content accept".`,
})

interface GuardOptions {
  /** Where `ACCEPTED_FILE` is. */
  readonly folder: string
  /** Losing fewer entries is never a fault. Default: 1. */
  readonly minLost?: number
}

export class ShrinkGuard {
  readonly #options: Required<GuardOptions>
  readonly #lowerSince = new Map<string, number>()
  readonly #baselines: Map<string, Baseline>
  /** By name, as the last check found them. */
  entryCounts: ReadonlyMap<string, EntryCounts> = new Map()

  constructor(options: GuardOptions, baselines: Readonly<Record<string, Baseline>> = {}) {
    this.#options = { minLost: 1, ...options }
    this.#baselines = new Map(Object.entries(baselines))
  }

  get baselines(): Record<string, Baseline> {
    return Object.fromEntries(this.#baselines)
  }

  get shrunk(): EntryCounts[] {
    return [...this.entryCounts.values()].filter(({ verdict }) => verdict === 'shrunk')
  }

  /** True if the next check may find another verdict for the same number of entries. */
  get isPending(): boolean {
    return [...this.entryCounts.values()].some(({ verdict }) => verdict !== 'good')
  }

  /**
   * Groups that are not in `counts` have no entries. `countedAt`: when counting began. `foundAt`: when the newest entry of
   * a group was found. Default: `countedAt`. A later loss needs a confirmation after that time.
   */
  async check(
    counts: ReadonlyMap<string, number>,
    countedAt: number,
    foundAt: (name: string) => number | undefined = () => undefined,
  ): Promise<void> {
    const accepted = await readAccepted(this.#options.folder)
    // From a clock that was ahead: until that time, no confirmation would count. One of the last minute does.
    for (const [name, { entries, changedAt }] of this.#baselines)
      if (changedAt > countedAt) this.#baselines.set(name, { entries, changedAt: countedAt - LOSS_WINDOW_MS })
    const names = new Set([...this.#baselines.keys(), ...counts.keys()])
    const entryCounts = [...names].map((name): [string, EntryCounts] => {
      const now = counts.get(name) ?? 0
      const before = this.#baselines.get(name)?.entries ?? now
      const verdict = this.#decide(name, { before, now, countedAt, foundAt: foundAt(name) ?? countedAt }, accepted)
      return [name, { name, before, now, verdict }]
    })
    this.entryCounts = new Map(entryCounts)
  }

  #decide(name: string, { before, now, countedAt, foundAt }: Counts, accepted: Accepted): Verdict {
    const acceptedAt = now < before ? this.#findAcceptance(name, now, accepted, countedAt) : undefined
    if (now < before && acceptedAt === undefined) {
      if (isLoss(before, now) && before - now >= this.#options.minLost) return 'shrunk'
      const since = this.#lowerSince.get(name) ?? countedAt
      this.#lowerSince.set(name, since)
      // Abs: the clock may have been set back.
      if (Math.abs(countedAt - since) < LOSS_WINDOW_MS) return 'lower'
    }
    this.#lowerSince.delete(name)
    if (now === 0) this.#baselines.delete(name)
    else if (this.#baselines.get(name)?.entries !== now) {
      this.#baselines.set(name, { entries: now, changedAt: acceptedAt ?? foundAt })
    }
    return 'good'
  }

  #findAcceptance(name: string, now: number, accepted: Accepted, countedAt: number): number | undefined {
    const { entries, at } = accepted[name] ?? accepted[OTHER_GROUPS] ?? {}
    const acceptedAt = Date.parse(at ?? '')
    const isNew = acceptedAt >= (this.#baselines.get(name)?.changedAt ?? 0)
    // One from the future was made while a clock was ahead. Clocks of several nodes may differ a little.
    const isPast = acceptedAt < countedAt + LOSS_WINDOW_MS
    return Number.isInteger(entries) && isNew && isPast && !isLoss(entries!, now) ? acceptedAt : undefined
  }
}

type Counts = Readonly<Record<'before' | 'now' | 'countedAt' | 'foundAt', number>>

/** All entries, or most of many, are gone. */
export const isLoss = (before: number, now: number) =>
  now === 0 ? before > 0 : before >= MIN_ENTRIES && now * 2 < before

/** Read from an operator's file, so anything may be missing. */
type Accepted = Readonly<Record<string, { readonly entries?: number; readonly at?: string } | undefined>>

const readAccepted = async (folder: string) => ((await readJson(join(folder, ACCEPTED_FILE))) ?? {}) as Accepted

/** Confirms that these numbers of entries are intended. With `isComplete`, groups that are not named may be empty. */
export async function acceptEntries(
  folder: string,
  entries: Readonly<Record<string, number>>,
  { isComplete = false } = {},
): Promise<void> {
  const at = new Date().toISOString()
  const before = isComplete ? { [OTHER_GROUPS]: { entries: 0, at } } : await readAccepted(folder)
  const added = Object.fromEntries(Object.entries(entries).map(([name, count]) => [name, { entries: count, at }]))
  await writeAtomically(join(folder, ACCEPTED_FILE), `${JSON.stringify({ ...before, ...added }, null, 2)}\n`)
}
