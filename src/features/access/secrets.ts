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

interface SecretStore<T> {
  /** A number that differs after every change. */
  revision(): Promise<number>
  list(): Promise<T[]>
}

interface SecretIndexOptions<T> {
  readonly getHash: (record: T) => string | null
  /**
   * Finds the secrets of the last records while the store is unavailable. For any other secret, `find` throws the error
   * of the store: the store may know it.
   */
  readonly keepWhenUnavailable: boolean
}

interface Cached<T> {
  readonly records: ReadonlyMap<string | null, T>
  readonly revision: number
  checkedAt: number
  /** Why the store could not be read: the records may be out of date. */
  readonly error?: unknown
}

/**
 * Finds records by secret. Caches the records of the store and compares its revision at most once per 400 ms, however
 * many requests arrive and however many wrong secrets they send.
 */
export function createSecretIndex<T>(store: SecretStore<T>, { getHash, keepWhenUnavailable }: SecretIndexOptions<T>) {
  let cached: Cached<T> | undefined
  let pending: ReturnType<typeof read> | undefined

  async function read(): Promise<Cached<T>> {
    const checkedAt = performance.now()
    try {
      const revision = await store.revision()
      if (cached?.revision === revision) return { records: cached.records, revision, checkedAt }
      const records = new Map((await store.list()).map((record) => [getHash(record), record]))
      return { records, revision, checkedAt }
    } catch (error) {
      if (cached && keepWhenUnavailable) return { ...cached, checkedAt, error }
      throw error
    }
  }

  async function getCached(): Promise<Cached<T>> {
    if (cached && performance.now() - cached.checkedAt < CACHE_TTL_MS) return cached
    pending ??= read()
    const current = pending
    try {
      const found = await current
      // An answer that was requested before an invalidation may be out of date.
      if (pending === current) cached = found
      return found
    } finally {
      if (pending === current) pending = undefined
    }
  }

  return {
    /**
     * Valid and invalid secrets take the same path, and the comparison takes constant time, so the response time
     * reveals nothing about a secret.
     */
    async find(secret: string): Promise<T | undefined> {
      const hash = hashSecret(secret)
      const { records, error } = await getCached()
      const record = records.get(hash)
      const stored = (record && getHash(record)) ?? NO_HASH
      if (timingSafeEqual(Buffer.from(hash), Buffer.from(stored))) return record
      if (error !== undefined) throw error
      return undefined
    },
    /** Call after a change on this node: the next `find` reads the store. */
    invalidate() {
      if (cached) cached.checkedAt = Number.NEGATIVE_INFINITY
      pending = undefined
    },
  }
}
