/** A bucket of `requests` that refills continuously over `seconds`. */
export interface RateLimit {
  readonly requests: number
  readonly seconds: number
}

export interface RateLimitResult {
  /** Requests left in the bucket. */
  readonly remaining: number
  /** Whole seconds until the next request is allowed; 0: this request is allowed. */
  readonly retryAfter: number
}

export interface RateLimiter {
  take(key: string): RateLimitResult
  /** Returns one request to the bucket, for a request that should not count. */
  refund(key: string): void
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

/** Stored as the moment at which the bucket is full again, so that no timer has to refill it. */
interface Bucket {
  fullAt: number
}

export function createRateLimiter({ requests, seconds }: RateLimit, options: RateLimiterOptions = {}): RateLimiter {
  const { maxKeys, now = () => performance.now() } = options
  const windowMs = seconds * 1000
  const msPerRequest = windowMs / requests
  const buckets = createGenerationalMap<Bucket>(maxKeys, () => ({ fullAt: 0 }))

  return {
    take(key) {
      const bucket = buckets.getOrCreate(key)
      const time = now()
      const usedMs = Math.max(0, bucket.fullAt - time)
      const available = Math.floor((windowMs - usedMs) / msPerRequest + EPSILON)
      if (available < 1) {
        return { remaining: 0, retryAfter: Math.max(1, Math.ceil((usedMs + msPerRequest - windowMs) / 1000)) }
      }
      bucket.fullAt = time + usedMs + msPerRequest
      return { remaining: available - 1, retryAfter: 0 }
    },
    refund(key) {
      const bucket = buckets.peek(key)
      if (bucket) bucket.fullAt -= msPerRequest
    },
  }
}

export interface GenerationalMap<T> {
  /** Marks the key as recently used. */
  getOrCreate(key: string): T
  peek(key: string): T | undefined
}

/**
 * A bounded map with two generations: when the young generation is full, the old one is dropped. A lookup costs one
 * hash access, and a key that is used continuously survives a flood of other keys.
 */
export function createGenerationalMap<T>(maxKeys = DEFAULT_MAX_KEYS, create: (key: string) => T): GenerationalMap<T> {
  const maxYoung = Math.max(1, Math.floor(maxKeys / 2))
  let young = new Map<string, T>()
  let old = new Map<string, T>()

  return {
    getOrCreate(key) {
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
    peek: (key) => young.get(key) ?? old.get(key),
  }
}
