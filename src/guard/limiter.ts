import { LRUCache } from 'lru-cache'

/** So many at once; after that one more each time that `seconds / requests` have passed. */
export interface Budget {
  readonly requests: number
  readonly seconds: number
}

export interface Taken {
  /** How many more could be taken now. */
  readonly remaining: number
  /** Whole seconds until there is one again; 0 where one was taken. */
  readonly retryAfter: number
}

export interface Limiter {
  take(key: string): Taken
  /** For one that turned out not to count. */
  giveBack(key: string): void
}

export interface LimiterOptions {
  /** A flood of addresses makes the least recently seen ones forgotten: the memory stays bounded. */
  readonly mostKeys?: number
  /** Milliseconds that never run backwards. */
  readonly now?: () => number
}

const MOST_KEYS = 10_000

/** One number a key: the moment at which its whole budget is there again. */
export function createLimiter({ requests, seconds }: Budget, options: LimiterOptions = {}): Limiter {
  const { mostKeys = MOST_KEYS, now = () => performance.now() } = options
  const windowMs = seconds * 1000
  const eachMs = windowMs / requests
  const fullAt = new LRUCache<string, number>({ max: mostKeys })

  return {
    take(key) {
      const moment = now()
      const used = Math.max(0, (fullAt.get(key) ?? 0) - moment)
      const left = Math.floor((windowMs - used) / eachMs + ROUNDING)
      if (left < 1) return { remaining: 0, retryAfter: Math.max(1, Math.ceil((used + eachMs - windowMs) / 1000)) }
      fullAt.set(key, moment + used + eachMs)
      return { remaining: left - 1, retryAfter: 0 }
    },
    giveBack(key) {
      const known = fullAt.get(key)
      if (known !== undefined) fullAt.set(key, known - eachMs)
    },
  }
}

/** Sums of fractions of a millisecond must not make 4.999… of 5. */
const ROUNDING = 1e-6
