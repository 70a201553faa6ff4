// Secrets that clients send (client keys, operator tokens): creation, and lookup by hash.
import { hash as computeHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Static, type TObject, type TStringOptions, Type } from 'typebox'
import { Value } from 'typebox/value'
import { InvalidBody } from '../../errors/index.ts'

/** 256 random bits cannot be guessed, so a plain SHA-256 is a safe way to store them. */
const SECRET_BYTES = 32
/** Compared when no record matches. No secret hashes to it. */
const NO_HASH = '0'.repeat(64)
/** Revoked secrets that are remembered. Operators revoke few. */
const MAX_REVOKED = 10_000
/** A change on any node takes effect here after this time plus one answer of the store: less than a second. */
const CACHE_TTL_MS = 400
/** The same for a secret that is not in the cache: a new one is valid at once, and wrong ones cause few store calls. */
const UNKNOWN_TTL_MS = 40

export const hashSecret = (secret: string): string => computeHash('sha256', secret)

/** A secret that is shown once, and the hash to store. Scanners for leaked secrets recognise the prefix. */
export function createSecret(prefix: string): { secret: string; hash: string } {
  const secret = `${prefix}${randomBytes(SECRET_BYTES).toString('base64url')}`
  return { secret, hash: hashSecret(secret) }
}

/** Compares in constant time. */
export const isSecretOf = (hash: string, secret: string): boolean =>
  timingSafeEqual(Buffer.from(hash), Buffer.from(hashSecret(secret)))

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
  /** Whether the store deletes a record whose secret is revoked, or keeps it without the hash. */
  readonly deletesRevoked: boolean
  /** Revokes a secret again that the store accepts again, because it was restored from an older copy. */
  readonly revokeAgain: (record: T) => Promise<unknown>
}

interface Cached<T> {
  readonly records: ReadonlyMap<string | null, T>
  readonly revision: number
  checkedAt: number
  /** Why the store could not be read: the records may be out of date. */
  readonly error?: unknown
}

/**
 * Finds records by secret. Caches the records of the store and compares its revision at most once per 400 ms, or 40 ms
 * while clients send wrong secrets, however many requests arrive.
 */
export function createSecretIndex<T extends { readonly id: string }>(
  store: SecretStore<T>,
  { getHash, keepWhenUnavailable, deletesRevoked, revokeAgain }: SecretIndexOptions<T>,
) {
  let cached: Cached<T> | undefined
  let pending: ReturnType<typeof read> | undefined
  /** Hashes. */
  const revoked = new Set<string>()
  /** Hashes of secrets that are not in the store any more, whether they were revoked or lost. */
  const former = new Set<string>()

  /** Remembers what was revoked. Records that the store lost may come back, and are not revoked. */
  function rememberRevoked(before: Cached<T>, revision: number, listed: readonly T[]): void {
    // Without a higher number, there was no change. A fraction means that there are no records.
    if (Math.floor(revision) <= Math.floor(before.revision)) return
    const current = new Map(listed.map((record) => [record.id, getHash(record)]))
    const known = [...before.records].filter(([hash]) => hash !== null)
    const hasLostAll = !known.some(([, { id }]) => current.has(id))
    for (const [hash, { id }] of known) {
      const isRevoked = current.has(id) ? current.get(id) !== hash : deletesRevoked && !hasLostAll
      if (isRevoked && hash !== null && revoked.size < MAX_REVOKED) revoked.add(hash)
    }
  }

  async function read(): Promise<Cached<T>> {
    const checkedAt = performance.now()
    try {
      const revision = await store.revision()
      // The revision may be the same because the store lost the change of this node.
      const isCurrent = cached?.revision === revision && !cached.records.keys().some((hash) => revoked.has(hash ?? ''))
      if (cached && isCurrent) return { records: cached.records, revision, checkedAt }
      const listed = await store.list()
      if (cached) rememberRevoked(cached, revision, listed)
      const isBack = (record: T) => revoked.has(getHash(record) ?? '')
      for (const record of listed.filter(isBack)) void revokeAgain(record).catch(() => {})
      const records = listed.filter((record) => !isBack(record)).map((record) => [getHash(record), record] as const)
      const current = new Map(records)
      for (const hash of cached?.records.keys() ?? [])
        if (hash !== null && !current.has(hash) && former.size < MAX_REVOKED) former.add(hash)
      return { records: current, revision, checkedAt }
    } catch (error) {
      if (cached && keepWhenUnavailable) return { ...cached, checkedAt, error }
      throw error
    }
  }

  async function getCached(ttlMs = CACHE_TTL_MS): Promise<Cached<T>> {
    if (cached && performance.now() - cached.checkedAt < ttlMs) return cached
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
    /** All wrong secrets take the same path, and the comparison takes constant time: the time reveals no part of a secret. */
    async find(secret: string): Promise<T | undefined> {
      const hash = hashSecret(secret)
      const askedAt = performance.now()
      let found = await getCached()
      // The secret may have been created after the records were read.
      while (!found.records.has(hash) && found.checkedAt < askedAt) {
        await sleep(Math.max(1, found.checkedAt + UNKNOWN_TTL_MS - performance.now()))
        found = await getCached(UNKNOWN_TTL_MS)
      }
      const { records, error } = found
      const record = records.get(hash)
      const stored = (record && getHash(record)) ?? NO_HASH
      if (timingSafeEqual(Buffer.from(hash), Buffer.from(stored))) return record
      if (error !== undefined) throw error
      return undefined
    },
    /** Reads the changes of other nodes. This node then remembers what they revoked. */
    refresh: async (): Promise<void> => void (await getCached().catch(() => {})),
    /** Whether `find` knew the secret earlier, and it was revoked or lost since. Call it after `find`. */
    wasKnown: (secret: string): boolean => former.has(hashSecret(secret)),
    /** Call after this node revoked the secret of a record. */
    markRevoked(id: string) {
      for (const [hash, record] of cached?.records ?? []) if (record.id === id && hash !== null) revoked.add(hash)
    },
    /** Call after a change on this node: the next `find` reads the store. */
    invalidate() {
      if (cached) cached.checkedAt = Number.NEGATIVE_INFINITY
      pending = undefined
    },
  }
}

/**
 * Characters that are refused in text that an operator reads: control characters could rewrite a terminal, and
 * direction marks could make one name look like another.
 */
const FORBIDDEN = '\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff'

const text = (minLength: number, maxLength: number, forbidden: string, description: string) =>
  Type.String({ minLength, maxLength, pattern: `^[^${forbidden}]*$`, description })

export const singleLineText = (minLength: number, maxLength: number, description: string) =>
  text(minLength, maxLength, `${FORBIDDEN}\\n`, description)

export const multiLineText = (minLength: number, maxLength: number, description: string) =>
  text(minLength, maxLength, FORBIDDEN, description)

/** Completes the sentence "The field must be …". */
function describeRule({ minLength = 0, maxLength, pattern = '' }: TStringOptions): string {
  const length = minLength === 0 ? `at most ${maxLength}` : `${minLength} to ${maxLength}`
  const allowsLineBreaks = new RegExp(pattern).test('\n')
  return `text of ${length} characters without ${allowsLineBreaks ? '' : 'line breaks and '}control characters`
}

/** Characters that show nothing: a name of them would be an empty line for the operator. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{White_Space}\u2800]/gu

/** Trims and validates the fields of the schema. Unknown fields are dropped. */
export function parseTextFields<Schema extends TObject>(schema: Schema, input: unknown): Static<Schema> {
  const fields = typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {}
  const parsed = Object.entries(schema.properties).map(([field, rule]) => {
    const value = fields[field]
    const trimmed = typeof value === 'string' ? value.replaceAll('\r\n', '\n').trim() : value
    const { minLength: min = 0, maxLength: max } = rule as TStringOptions
    if (!Value.Check(rule, trimmed) || (min > 0 && String(trimmed).replace(INVISIBLE, '') === ''))
      throw new InvalidBody(`"${field}" must be ${describeRule(rule as TStringOptions)}.`, { field, min, max })
    return [field, trimmed]
  })
  return Object.fromEntries(parsed) as Static<Schema>
}
