import type { Store } from './store.ts'

/** Told of each call once it is answered; `operation` is such as "bans.changes". */
export type OnCall = (operation: string, ms: number, failed: boolean) => void

type Call = (...args: unknown[]) => Promise<unknown>

/** The same store, with every call of its parts (bans, tokens …) timed. */
export function watched(store: Store, onCall: OnCall): Store {
  const parts = Object.entries(store).filter(([, part]) => typeof part === 'object')
  return { ...store, ...Object.fromEntries(parts.map(([name, part]) => [name, watchedPart(name, part, onCall)])) }
}

const watchedPart = (name: string, part: Record<string, Call>, onCall: OnCall) =>
  Object.fromEntries(Object.entries(part).map(([method, call]) => [method, timed(`${name}.${method}`, call, onCall)]))

const timed =
  (operation: string, call: Call, onCall: OnCall): Call =>
  async (...args) => {
    const started = performance.now()
    let failed = true
    try {
      const answer = await call(...args)
      failed = false
      return answer
    } finally {
      onCall(operation, performance.now() - started, failed)
    }
  }
