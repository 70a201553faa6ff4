import { createGenerations } from './generations.ts'

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
  /** A flood of addresses makes those forgotten that were not seen for longest: the memory stays bounded. */
  readonly mostKeys?: number
  /** Milliseconds that never run backwards. */
  readonly now?: () => number
}

const MAX_KEYS = 10_000

/** The moment at which the whole budget of a key is there again. */
interface Spent {
  fullAt: number
}

export function createLimiter({ requests, seconds }: Budget, options: LimiterOptions = {}): Limiter {
  const { mostKeys = MAX_KEYS, now = () => performance.now() } = options
  const windowMs = seconds * 1000
  const eachMs = windowMs / requests
  const callers = createGenerations<Spent>(mostKeys, () => ({ fullAt: 0 }))

  return {
    take(key) {
      const spent = callers.of(key)
      const moment = now()
      const used = Math.max(0, spent.fullAt - moment)
      const left = Math.floor((windowMs - used) / eachMs + ROUNDING)
      if (left < 1) return { remaining: 0, retryAfter: Math.max(1, Math.ceil((used + eachMs - windowMs) / 1000)) }
      spent.fullAt = moment + used + eachMs
      return { remaining: left - 1, retryAfter: 0 }
    },
    giveBack(key) {
      const spent = callers.peek(key)
      if (spent) spent.fullAt -= eachMs
    },
  }
}

/** Sums of fractions of a millisecond must not make 4.999… of 5. */
const ROUNDING = 1e-6
