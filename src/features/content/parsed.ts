import type { Problem } from './types.ts'

/** What a file says, unless it is too wrong to be used, and what is wrong with it. */
export interface Parsed<T> {
  value?: T
  problems: Problem[]
}
