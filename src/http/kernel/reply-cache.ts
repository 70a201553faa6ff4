import { LRUCache } from 'lru-cache'
import { prepareReply, type Reply } from './replies.ts'

interface ReplyCacheOptions {
  readonly maxEntries: number
  /** Maximum bytes of all bodies together. */
  readonly maxBytes: number
  /** All replies are dropped when this number changes. */
  readonly revision?: () => number
}

/** Replies that are the same for every request with the same key. A client that makes up keys cannot fill the memory. */
export function createReplyCache({ maxEntries, maxBytes, revision = () => 0 }: ReplyCacheOptions) {
  const replies = new LRUCache<string, Reply>({
    max: maxEntries,
    maxSize: maxBytes,
    sizeCalculation: ({ length = 0 }) => length + 1,
  })
  let cachedRevision = revision()
  return {
    /** `key` must name everything that the reply depends on, apart from the revision. */
    get(key: string, build: () => Reply): Reply {
      const currentRevision = revision()
      if (currentRevision !== cachedRevision) {
        replies.clear()
        cachedRevision = currentRevision
      }
      const cached = replies.get(key)
      if (cached) return cached
      const reply = prepareReply(build())
      replies.set(key, reply)
      return reply
    },
  }
}
