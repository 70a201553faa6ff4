/** How long to wait before a worker that died is replaced. */
export interface BackOff {
  /** Told how long the dead one lived; the milliseconds to wait. */
  next(livedMs: number): number
}

const FIRST_MS = 250
const LONGEST_MS = 30_000
/** One that lived so long did not die of its start. */
const STEADY_MS = 60_000

export function createBackOff(): BackOff {
  let shortLives = 0
  return {
    next(livedMs) {
      shortLives = livedMs >= STEADY_MS ? 0 : shortLives + 1
      return shortLives === 0 ? 0 : Math.min(LONGEST_MS, FIRST_MS * 2 ** (shortLives - 1))
    },
  }
}
