import { randomBytes } from 'node:crypto'

/** Ids that no other process gives out: a random start for this one, then a number. */
export function createRequestIds(): () => string {
  const start = randomBytes(6).toString('hex')
  let count = 0
  return () => `${start}-${(count++).toString(36)}`
}
