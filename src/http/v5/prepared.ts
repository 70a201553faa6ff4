import { type Reply, success } from '../replies.ts'

/** A launcher asks at every start: a minute old is new enough, and a cache in front may answer meanwhile. */
export const APP_CACHE = 'public, max-age=60, stale-while-revalidate=300'
/** Where clients are answered differently, only their own caches may keep an answer. */
export const OWN_CACHE = 'private, max-age=60'

/**
 * Replies are built when the data changes, not when asked: the rooms give the same object as long as nothing changed, and
 * its bytes are kept with it.
 */
export function createPrepared() {
  const replies = new WeakMap<object, Map<string, Reply>>()
  return (
    value: object,
    policy: string,
    make = (options: { cache: string }) => success({ ...value }, options),
  ): Reply => {
    const known = replies.get(value) ?? new Map<string, Reply>()
    const reply = known.get(policy) ?? make({ cache: policy })
    replies.set(value, known.set(policy, reply))
    return reply
  }
}

export type Prepared = ReturnType<typeof createPrepared>
