import { after, before } from 'node:test'

/** Runs work when a test or suite ends. A TestContext is a scope. */
export interface Scope {
  after(work: () => Promise<void> | void): void
}

/** Closes the part that was opened last first. A test runs the work of `after` in the order of the calls. */
export function reverseScope(outer: Scope): Scope {
  const closers: (() => Promise<void> | void)[] = []
  outer.after(async () => {
    for (const close of closers) await close()
  })
  return { after: (work) => void closers.unshift(work) }
}

/** Opens a resource once for all tests of the surrounding describe block. Call the result inside a test to get it. */
export function forSuite<T>(open: (scope: Scope) => Promise<T>): () => T {
  const scope = reverseScope({ after })
  let value: T | undefined
  before(async () => {
    value = await open(scope)
  })
  return () => {
    if (value === undefined) throw new Error('the resource is only available inside a test')
    return value
  }
}
