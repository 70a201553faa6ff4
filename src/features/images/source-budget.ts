import { Busy } from '../../errors/index.ts'

const RETRY_AFTER = 5

export interface SourceBudgetOptions {
  /** Of all sources that arrive, wait or are processed. */
  readonly maxHeldBytes: number
  /** A source that is not complete after this time is slow. */
  readonly slowAfterMs: number
}

interface Entry {
  bytes: number
  readonly startedAt: number
  /** Undefined for a source that is complete. */
  readonly abort: ((reason: unknown) => void) | undefined
}

export type SourceBudget = ReturnType<typeof createSourceBudget>

/**
 * Bounds the bytes of sources that arrive or are processed. If there is no space, the oldest slow fetch is aborted: a
 * source that sends most of a large image and then waits would otherwise keep its memory.
 */
export function createSourceBudget({ maxHeldBytes, slowAfterMs }: SourceBudgetOptions) {
  /** The oldest first. */
  const entries = new Set<Entry>()
  let total = 0

  function remove(entry: Entry): void {
    if (entries.delete(entry)) total -= entry.bytes
  }

  function abortSlow(): boolean {
    const latestStart = performance.now() - slowAfterMs
    const slow = entries.values().find(({ startedAt, abort }) => abort && startedAt < latestStart)
    if (!slow) return false
    remove(slow)
    slow.abort?.(new Busy(RETRY_AFTER))
    return true
  }

  return {
    /** Disposing the entry releases its bytes. Without `abort` it cannot be aborted. */
    open(abort?: Entry['abort']) {
      const entry: Entry = { bytes: 0, startedAt: performance.now(), abort }
      entries.add(entry)
      return {
        /** Throws BUSY if there is no space. */
        add(bytes: number): void {
          while (total + bytes > maxHeldBytes) if (!abortSlow()) throw new Busy(RETRY_AFTER)
          if (!entries.has(entry)) return
          entry.bytes += bytes
          total += bytes
        },
        [Symbol.dispose]: () => remove(entry),
      }
    },
  }
}
