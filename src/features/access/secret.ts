import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** 256 bits: a plain SHA-256 of it can be kept, for there is nothing to guess. */
const SECRET_BYTES = 32

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex')

/** A secret that is shown once, and the hash that is kept. The prefix lets scanners of leaked secrets know it. */
export function makeSecret(prefix: string): { secret: string; hash: string } {
  const secret = `${prefix}${randomBytes(SECRET_BYTES).toString('base64url')}`
  return { secret, hash: hashOf(secret) }
}

/** Compared with where nobody holds the secret; no secret hashes to it. */
const NOBODY = '0'.repeat(64)

/**
 * The holder of a secret, looked up by its hash. Unknown and known ones take the same path, and the comparison takes
 * the same time wherever two hashes differ: how long an answer takes tells nothing about a secret.
 */
export function holderOf<T>(
  holders: ReadonlyMap<string, T>,
  keptHash: (holder: T) => string | null,
  secret: string,
): T | undefined {
  const hash = hashOf(secret)
  const holder = holders.get(hash)
  const kept = (holder !== undefined && keptHash(holder)) || NOBODY
  return timingSafeEqual(Buffer.from(hash), Buffer.from(kept)) ? holder : undefined
}
