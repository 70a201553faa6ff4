/** A change anywhere is known here within this and one answer of the store: together under a second. */
const FRESH_MS = 400

export interface KnownOptions<T> {
  /** Another number after every change. */
  revision(): Promise<number>
  load(): Promise<T>
  /** Whether what was known last still counts while the store is away; otherwise the store's error is thrown. */
  keepWhenAway: boolean
}

export interface Known<T> {
  current(): Promise<T>
  /** Asks again the next time: this node changed something itself. */
  doubt(): void
}

/**
 * What the store holds, kept in memory and asked for again as rarely as the promise allows: once per 400 ms, however
 * many requests come and however many wrong secrets they carry.
 */
export function createKnown<T>({ revision, load, keepWhenAway }: KnownOptions<T>): Known<T> {
  let known: { value: T; revision: number } | undefined
  let checkedAt = Number.NEGATIVE_INFINITY
  let checking: Promise<T> | undefined
  let doubts = 0

  const check = async (startedAt: number): Promise<T> => {
    const before = doubts
    let found = known
    try {
      const now = await revision()
      if (found?.revision !== now) found = { value: await load(), revision: now }
    } catch (error) {
      if (!found || !keepWhenAway) throw error
    }
    // What was asked for before this node changed something does not tell of that.
    if (doubts === before) {
      known = found
      checkedAt = startedAt
    }
    return found.value
  }

  return {
    async current() {
      const now = performance.now()
      if (known && now - checkedAt < FRESH_MS) return known.value
      if (checking) return checking
      const mine = check(now).finally(() => {
        if (checking === mine) checking = undefined
      })
      checking = mine
      return mine
    },
    doubt() {
      doubts++
      checkedAt = Number.NEGATIVE_INFINITY
      checking = undefined
    },
  }
}
