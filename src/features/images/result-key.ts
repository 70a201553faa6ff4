import { resultKey, type Variant } from './results.ts'
import { isStorable, type Known } from './sources.ts'

/** What the result of a source is called, and how long the name holds. */
export interface Name {
  key: string
  etag: string
  /** Seconds for which the source is fresh. */
  maxAge: number
}

interface Kept {
  digest: string
  policy: Known['policy']
  key: string
  etag: string
  storable: boolean
}

/** Names the results of one variant. Nearly always the source is the same as the last time, and so is the name. */
export function createNaming(version: string, variant: Variant): (known: Known) => Name {
  let last: Kept | undefined

  function put(known: Known): Kept {
    const { digest, policy } = known
    const key = resultKey(version, digest, variant)
    return { digest, policy, key, etag: `"${key}"`, storable: isStorable(known) }
  }

  return (known) => {
    if (last?.policy !== known.policy || last.digest !== known.digest) last = put(known)
    const { key, etag, storable } = last
    const freshMs = storable ? known.freshUntil - Date.now() : 0
    return { key, etag, maxAge: Math.max(0, Math.floor(freshMs / 1000)) }
  }
}
