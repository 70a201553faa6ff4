import type { Reply } from '../../kernel/replies.ts'

const MAX_BATCH = 64
/** Two batches within this time mean high load. */
const HIGH_LOAD_MS = 20

interface Batch {
  /** Each is sent once. */
  readonly replies: Reply[]
  readonly base: string
  readonly revision: number
  readonly builtAt: number
  readonly size: number
}

export interface ReplyPoolOptions {
  /** Undefined if a reply takes time to build. */
  build(kind: string, base: string): Reply | undefined
  /** Changes when the content changes. */
  revision(): number
}

/**
 * Builds random replies in batches under high load. This is not a cache: each reply is sent once. Between two requests
 * the processor's caches fill with the operating system's network code, so building a single reply costs several times
 * what it costs inside a batch. A request outside of high load gets a reply that is built for it.
 */
export function createReplyPool({ build, revision }: ReplyPoolOptions) {
  const batches = new Map<string, Batch>()

  const buildBatch = (kind: string, base: string, now: number): Reply | undefined => {
    // Throws for an unknown kind, before an entry is made: clients can make up any number of kinds.
    const first = build(kind, base)
    const last = batches.get(kind)
    const size = last && now - last.builtAt < HIGH_LOAD_MS ? Math.min(MAX_BATCH, last.size * 2) : 1
    const replies = Array.from({ length: size - 1 }, () => build(kind, base)).filter((reply) => reply !== undefined)
    batches.set(kind, { replies, base, revision: revision(), builtAt: now, size })
    return first
  }

  return (kind: string, base: string, now: number): Reply | undefined => {
    const batch = batches.get(kind)
    const isUsable = batch !== undefined && batch.base === base && batch.revision === revision()
    return (isUsable ? batch.replies.pop() : undefined) ?? buildBatch(kind, base, now)
  }
}
