/** A bucket of `count` requests that refills continuously over `seconds`. */
export type RateLimit = { readonly count: number; readonly seconds: number }

export interface RateLimitResult {
  readonly remaining: number
  /** Whole seconds until the next request is allowed; 0: this request is allowed. */
  readonly retryAfter: number
}

export interface RateLimiterOptions {
  /** Bounds the memory. During a flood of addresses the keys that were not used for longest are removed. */
  readonly maxKeys?: number
  /** Monotonic time in milliseconds. */
  readonly now?: () => number
}

const DEFAULT_MAX_KEYS = 10_000
/** Keeps rounding errors of floating point sums from turning 5 into 4.999…. */
const EPSILON = 1e-6

export function createRateLimiter({ count, seconds }: RateLimit, options: RateLimiterOptions = {}) {
  const { maxKeys, now = () => performance.now() } = options
  const windowMs = seconds * 1000
  const msPerRequest = windowMs / count
  // A bucket is stored as the moment at which it is full again, so that no timer has to refill it.
  const buckets = createGenerationalMap(maxKeys, () => ({ fullAt: 0 }))
  const refuse = (usedMs: number): RateLimitResult => ({
    remaining: 0,
    retryAfter: Math.max(1, Math.ceil((usedMs + msPerRequest - windowMs) / 1000)),
  })

  return {
    take(key: string, time = now()): RateLimitResult {
      const bucket = buckets.getOrCreate(key)
      const usedMs = Math.max(0, bucket.fullAt - time)
      const available = Math.floor((windowMs - usedMs) / msPerRequest + EPSILON)
      if (available < 1) return refuse(usedMs)
      bucket.fullAt = time + usedMs + msPerRequest
      return { remaining: available - 1, retryAfter: 0 }
    },
    /**
     * Takes more for a request that was allowed. If that is more than the bucket holds, later requests wait longer, and
     * those that were allowed already are refused: all their charges together would block the client for minutes.
     */
    charge(key: string, requests: number, time = now()): RateLimitResult {
      const bucket = buckets.getOrCreate(key)
      const usedMs = Math.max(0, bucket.fullAt - time)
      if (usedMs > windowMs + EPSILON) return refuse(usedMs)
      bucket.fullAt = time + usedMs + requests * msPerRequest
      return { remaining: 0, retryAfter: 0 }
    },
    /** Returns one request to the bucket, for a request that should not count. */
    refund(key: string): void {
      const bucket = buckets.peek(key)
      if (bucket) bucket.fullAt -= msPerRequest
    },
  }
}

/**
 * A bounded map with two generations: when the young generation is full, the old one is dropped. A lookup costs one
 * hash access, and a key that is used continuously survives a flood of other keys.
 */
export function createGenerationalMap<T>(maxKeys = DEFAULT_MAX_KEYS, create: (key: string) => T) {
  const maxYoung = Math.max(1, Math.floor(maxKeys / 2))
  let young = new Map<string, T>()
  let old = new Map<string, T>()

  return {
    /** Marks the key as recently used. */
    getOrCreate(key: string): T {
      const existing = young.get(key)
      if (existing !== undefined) return existing
      const value = old.get(key) ?? create(key)
      if (young.size >= maxYoung) {
        old = young
        young = new Map()
      }
      young.set(key, value)
      return value
    },
    peek: (key: string): T | undefined => young.get(key) ?? old.get(key),
  }
}
