import { after, before } from 'node:test'

/** What a test opens is closed when it ends; a TestContext is such a scope, too. */
export interface Scope {
  after(work: () => Promise<void> | void): void
}

/** Opens something once for all tests of the describe block around the call; ask the result for it inside a test. */
export function forSuite<T>(open: (scope: Scope) => Promise<T>): () => T {
  const closers: (() => Promise<void> | void)[] = []
  let value: T | undefined
  before(async () => {
    value = await open({ after: (work) => closers.unshift(work) })
  })
  after(async () => {
    for (const close of closers) await close()
  })
  return () => {
    if (value === undefined) throw new Error('asked for before the suite began')
    return value
  }
}
