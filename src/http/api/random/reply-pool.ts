import type { Reply } from '../../kernel/replies.ts'

/** Most that are made at a time. */
const MOST = 64
/** Two batches that follow each other so soon are a rush. */
const RUSH_MS = 20

interface Shelf {
  replies: Reply[]
  base: string
  revision: number
  madeAt: number
  /** How many are made when none is left. */
  batch: number
}

export interface ReadyOptions {
  make(kind: string, base: string): Reply
  /** Another number means that other items are there. */
  revision(): number
}

/**
 * In a rush replies are made several at a time. Between two requests the processor's caches are filled with the kernel's
 * network code, and making one reply costs several times what it costs among others of its kind. Who comes alone gets
 * a reply that was made for him, with all that can be told at that moment.
 */
export function createReady({ make, revision }: ReadyOptions): (kind: string, base: string, now: number) => Reply {
  const shelves = new Map<string, Shelf>()

  const fill = (kind: string, base: string, now: number): Reply => {
    // First, because an unknown kind has no shelf: callers can make up any number of them.
    const first = make(kind, base)
    const before = shelves.get(kind)
    const isRush = before !== undefined && now - before.madeAt < RUSH_MS
    const batch = isRush ? Math.min(MOST, before.batch * 2) : 1
    const replies = Array.from({ length: batch - 1 }, () => make(kind, base))
    shelves.set(kind, { replies, base, revision: revision(), madeAt: now, batch })
    return first
  }

  return (kind, base, now) => {
    const shelf = shelves.get(kind)
    if (shelf === undefined || shelf.base !== base || shelf.revision !== revision()) return fill(kind, base, now)
    return shelf.replies.pop() ?? fill(kind, base, now)
  }
}
