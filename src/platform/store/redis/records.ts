import type { Log } from '../../logging/index.ts'
import type { RedisLink } from './link.ts'
import { readHash } from './part.ts'

type Kinds<T> = Partial<Record<keyof T, 'string' | 'number'>>

/** Whether something has these fields, of these types. */
export const whole =
  <T>(kinds: Kinds<T>) =>
  (value: unknown): value is T =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(kinds).every(([name, kind]) => typeof (value as Record<string, unknown>)[name] === kind)

type IsWhole<T> = (value: unknown) => value is T

/** Undefined where another program, or a hand, wrote something else there. */
export function readRecord<T>(text: string | null | undefined, isWhole: IsWhole<T>): T | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return isWhole(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Reads all records of a hash. One that cannot be read is left out: it must not hide the others. */
export function createReader<T>(link: RedisLink, key: string, isWhole: IsWhole<T>, log: Log): () => Promise<T[]> {
  let known = 0
  return async () => {
    const texts = [...(await readHash(link, key)).values()]
    const records = texts.map((text) => readRecord(text, isWhole)).filter((record) => record !== undefined)
    const leftOut = texts.length - records.length
    if (leftOut > known) log.warn({ key, leftOut }, 'Redis holds records that this service did not write')
    known = leftOut
    return records
  }
}

export const byAge = (a: { id: string; createdAt: number }, b: { id: string; createdAt: number }) =>
  a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)
