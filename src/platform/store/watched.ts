import type { Store } from './store.ts'

/** Told of each call once it is answered; `operation` is such as "bans.changes". */
export type OnCall = (operation: string, ms: number, failed: boolean) => void

type Call = (...args: unknown[]) => unknown

/** The same store, with every call of its parts (bans, tokens …) timed. */
export function watched(store: Store, onCall: OnCall): Store {
  const parts = Object.entries(store).filter(([, part]) => part !== null && typeof part === 'object')
  return { ...store, ...Object.fromEntries(parts.map(([name, part]) => [name, watchedPart(name, part, onCall)])) }
}

const watchedPart = (name: string, part: Record<string, unknown>, onCall: OnCall) => ({
  ...part,
  ...Object.fromEntries(
    Object.entries(part)
      .filter((entry): entry is [string, Call] => typeof entry[1] === 'function')
      .map(([method, call]) => [method, timed(`${name}.${method}`, call, onCall)]),
  ),
})

/** What answers at once asks no store, and is not timed. */
const timed =
  (operation: string, call: Call, onCall: OnCall): Call =>
  (...args) => {
    const started = performance.now()
    const answer = call(...args)
    if (!(answer instanceof Promise)) return answer
    const told = (failed: boolean) => onCall(operation, performance.now() - started, failed)
    answer.then(
      () => told(false),
      () => told(true),
    )
    return answer
  }
