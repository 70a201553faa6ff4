import { after, before } from 'node:test'

/** Runs work when a test or suite ends. A TestContext is a scope. */
export interface Scope {
  after(work: () => Promise<void> | void): void
}

/** Opens a resource once for all tests of the surrounding describe block. Call the result inside a test to get it. */
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
    if (value === undefined) throw new Error('the resource is only available inside a test')
    return value
  }
}
