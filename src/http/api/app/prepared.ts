import { cache, type Reply, type ReplyOptions, success } from '../../kernel/replies.ts'
import { VARY_BY_CLIENT } from './asking.ts'

/** A launcher asks at every start: a minute old is new enough, and a cache in front may answer meanwhile. */
const APP_CACHE = cache.short
/** Where clients are answered differently, only their own caches may keep an answer. */
const OWN_CACHE = 'private, max-age=60'

export const keeping = (isShared: boolean) =>
  isShared ? { cache: APP_CACHE, headers: [] } : { cache: OWN_CACHE, headers: VARY_BY_CLIENT }

/** From so many characters on, encoding a text for each request costs more than Node's second write for bytes. */
const LARGE = 16 * 1024

type Make = (options: ReplyOptions) => Reply

/**
 * Replies are built when the data changes, not when asked: the services give the same object as long as nothing changed, and
 * its bytes are kept with it.
 */
export function createPrepared() {
  const shared = new WeakMap<object, Reply>()
  const own = new WeakMap<object, Reply>()
  return (value: object, isShared: boolean, make: Make = (options) => success({ ...value }, options)): Reply => {
    const replies = isShared ? shared : own
    const known = replies.get(value)
    if (known) return known
    const reply = { ...encoded(make(keeping(isShared))), prepared: true }
    replies.set(value, reply)
    return reply
  }
}

export type Prepared = ReturnType<typeof createPrepared>

const encoded = (reply: Reply): Reply =>
  typeof reply.body === 'string' && reply.body.length >= LARGE
    ? { ...reply, body: Buffer.from(reply.body, 'latin1') }
    : reply
