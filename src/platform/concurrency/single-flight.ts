import { addAbortListener } from 'node:events'
import { Busy } from '../../errors/index.ts'

interface UnderWay<T> {
  outcome: Promise<T>
  callers: number
  cancel: AbortController
}

type Work<T> = (signal: AbortSignal) => Promise<T>

/** Made once: nobody is left to read it, and the trace of each new one costs more than all else here. */
const nobodyWaits = new DOMException('nobody waits for it any more', 'AbortError')

/** Lets callers with the same key wait for one piece of work, which is cancelled when the last of them has gone. */
export function createSharing<T>() {
  const all = new Map<string, UnderWay<T>>()

  const forget = (key: string, entry: UnderWay<T>) => {
    if (all.get(key) === entry) all.delete(key)
  }

  function start(key: string, work: Work<T>): UnderWay<T> {
    const cancel = new AbortController()
    const entry: UnderWay<T> = {
      outcome: work(cancel.signal).finally(() => forget(key, entry)),
      callers: 0,
      cancel,
    }
    all.set(key, entry)
    return entry
  }

  return async (key: string, signal: AbortSignal, work: Work<T>): Promise<{ value: T; joined: boolean }> => {
    signal.throwIfAborted()
    const found = all.get(key)
    const entry = found ?? start(key, work)
    entry.callers++
    const { promise: aborted, reject } = Promise.withResolvers<never>()
    using _listening = addAbortListener(signal, () => reject(signal.reason))
    try {
      return { value: await Promise.race([entry.outcome, aborted]), joined: found !== undefined }
    } finally {
      entry.callers--
      if (entry.callers === 0) {
        forget(key, entry)
        entry.cancel.abort(nobodyWaits)
      }
    }
  }
}

/** The same where callers have lines of their own: who joined the work of another, which found no turn, begins it anew. */
export function createFairSharing<T>() {
  const share = createSharing<T>()
  return async (key: string, caller: string, signal: AbortSignal, work: Work<T>) => {
    let isMine = false
    const begin = (shared: AbortSignal) => {
      isMine = true
      return work(shared)
    }
    try {
      return await share(key, signal, begin)
    } catch (error) {
      if (isMine || !(error instanceof Busy)) throw error
      return share(JSON.stringify([key, caller]), signal, work)
    }
  }
}
