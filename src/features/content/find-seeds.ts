import { Busy } from '../../errors/index.ts'
import { createSeed, type Random } from './random.ts'
import type { Artist, PickOptions } from './types.ts'

/** How many seeds the searches of one request may try together. */
export interface SearchEffort {
  left: number
}

/** At most about 20 ms. A search of one kind has half of it, and finds a drawing if one of 3,500 matches. */
const MAX_EFFORT = 32_768
/** A full check takes as long as this many fast ones. */
const CHECK_EFFORT = 50
/** Tries per request that need no saved effort, so that frequent tags are always found. */
const FREE_EFFORT = 2048
const PAID_AT_ONCE = 256
/** About a quarter of the time, however many clients search: nothing else happens meanwhile. */
const EFFORT_PER_MS = 400
const MAX_SAVED_EFFORT = 2000 * EFFORT_PER_MS

export const createSearchEffort = (): SearchEffort => ({ left: MAX_EFFORT })

export type SeedFinder = ReturnType<typeof createSeedFinder>

/** `now` is a monotonic time in milliseconds. */
export function createSeedFinder({ createTagMatcher }: Artist, now = () => performance.now()) {
  let saved = MAX_SAVED_EFFORT
  let savedAt = now()

  function spend(effort: number): void {
    const time = now()
    saved = Math.min(MAX_SAVED_EFFORT, saved + (time - savedAt) * EFFORT_PER_MS)
    savedAt = time
    if (saved < effort) throw new Busy(1)
    saved -= effort
  }

  /** Seeds of drawings that have the tags, in random order. Ends when a search takes too long. */
  return function* findSeeds(
    kind: string,
    { tags, avoid, effort = createSearchEffort() }: PickOptions,
    random: Random,
  ): Generator<string, void> {
    const matcher = tags && createTagMatcher(kind, tags.wanted, tags.unwanted)
    if (tags && !matcher) return
    // Half of the rest for each kind: a kind without such a drawing must not use up the effort of the next one.
    let left = Math.ceil(effort.left / 2)
    let unpaid = 0
    while (left > 0 && effort.left > 0) {
      const seed = createSeed(random)
      const isCandidate = !avoid?.has(`~${seed}`) && (matcher?.mayMatch(seed) ?? true)
      const cost = isCandidate && matcher ? 1 + CHECK_EFFORT : 1
      left -= cost
      effort.left -= cost
      if (effort.left < MAX_EFFORT - FREE_EFFORT) unpaid += cost
      if (unpaid >= PAID_AT_ONCE) {
        spend(unpaid)
        unpaid = 0
      }
      if (isCandidate && (matcher?.matches(seed) ?? true)) yield seed
    }
  }
}
