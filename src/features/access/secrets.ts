// Secrets that clients send (client keys, operator tokens): creation, and lookup by hash.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** 256 random bits cannot be guessed, so a plain SHA-256 is a safe way to store them. */
const SECRET_BYTES = 32
/** Compared when no record matches. No secret hashes to it. */
const NO_HASH = '0'.repeat(64)
/** A change on any node takes effect here after this time plus one answer of the store: less than a second. */
const CACHE_TTL_MS = 400

const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex')

/** A secret that is shown once, and the hash to store. Scanners for leaked secrets recognise the prefix. */
export function createSecret(prefix: string): { secret: string; hash: string } {
  const secret = `${prefix}${randomBytes(SECRET_BYTES).toString('base64url')}`
  return { secret, hash: hashSecret(secret) }
}

/**
 * Finds the record of a secret by its hash. Valid and invalid secrets take the same path, and the comparison takes
 * constant time, so the response time reveals nothing about a secret.
 */
export function findBySecret<T>(
  records: ReadonlyMap<string, T>,
  getHash: (record: T) => string | null,
  secret: string,
): T | undefined {
  const hash = hashSecret(secret)
  const record = records.get(hash)
  const stored = (record !== undefined && getHash(record)) || NO_HASH
  return timingSafeEqual(Buffer.from(hash), Buffer.from(stored)) ? record : undefined
}

export interface RevisionCacheOptions<T> {
  /** A number that differs after every change. */
  revision(): Promise<number>
  load(): Promise<T>
  /** Returns the last value while the store is unavailable; otherwise the error of the store is thrown. */
  keepWhenUnavailable: boolean
}

export interface RevisionCache<T> {
  get(): Promise<T>
  /** Call after a change on this node: the next `get` reads the store. */
  invalidate(): void
}

/**
 * Caches data of the store and compares its revision at most once per 400 ms, however many requests arrive and however
 * many wrong secrets they send.
 */
export function createRevisionCache<T>(options: RevisionCacheOptions<T>): RevisionCache<T> {
  const { revision, load, keepWhenUnavailable } = options
  let cached: { value: T; revision: number } | undefined
  let checkedAt = Number.NEGATIVE_INFINITY
  let pending: Promise<T> | undefined
  let invalidations = 0

  const check = async (startedAt: number): Promise<T> => {
    const before = invalidations
    let found = cached
    try {
      const current = await revision()
      if (found?.revision !== current) found = { value: await load(), revision: current }
    } catch (error) {
      if (!found || !keepWhenUnavailable) throw error
    }
    // An answer that was requested before an invalidation may be out of date.
    if (invalidations === before) {
      cached = found
      checkedAt = startedAt
    }
    return found.value
  }

  return {
    async get() {
      const now = performance.now()
      if (cached && now - checkedAt < CACHE_TTL_MS) return cached.value
      if (pending) return pending
      const mine = check(now).finally(() => {
        if (pending === mine) pending = undefined
      })
      pending = mine
      return mine
    },
    invalidate() {
      invalidations++
      checkedAt = Number.NEGATIVE_INFINITY
      pending = undefined
    },
  }
}
