import { createSeed, type Random } from './random.ts'
import type { Artist, PickOptions } from './types.ts'

/** About 50 ms: finds a drawing if one of 14,000 matches. */
const MAX_SEEDS = 65_536
/** A full check takes 15 times as long. */
const MAX_CHECKS = 2000

/** Seeds of drawings that have the tags, in random order. Ends when a search takes too long. */
export function* findSeeds(
  { createTagMatcher }: Artist,
  kind: string,
  { tags, avoid }: PickOptions,
  random: Random,
): Generator<string, void> {
  const matcher = tags && createTagMatcher(kind, tags.wanted, tags.unwanted)
  if (tags && !matcher) return
  let checks = 0
  for (let i = 0; i < MAX_SEEDS && checks < MAX_CHECKS; i++) {
    const seed = createSeed(random)
    if (avoid?.has(`~${seed}`)) continue
    if (matcher) {
      if (!matcher.mayMatch(seed)) continue
      checks++
      if (!matcher.matches(seed)) continue
    }
    yield seed
  }
}
