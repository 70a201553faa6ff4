// Runs the checks one after another: each within its time, and none able to stop the others.
import { setTimeout as sleep } from 'node:timers/promises'
import { sentenceFor } from '../sentence.ts'
import type { Check, Finding, Level, Site } from './check.ts'

/** Far above what a healthy machine needs for one; short enough to wait for. */
const DEFAULT_LIMIT_MS = 8000

export interface Diagnosis extends Finding {
  readonly check: string
}

type Ground = Omit<Site, 'signal'>

export async function examine(
  checks: readonly Check[],
  ground: Ground,
  onProgress: (done: number, total: number) => void,
): Promise<Diagnosis[]> {
  const found: Diagnosis[] = []
  for (const [index, check] of checks.entries()) {
    onProgress(index, checks.length)
    for (const finding of await findingsOf(check, ground)) found.push({ check: check.name, ...finding })
  }
  return found
}

async function findingsOf(check: Check, ground: Ground): Promise<readonly Finding[]> {
  const { limitMs = DEFAULT_LIMIT_MS } = check
  const [late, early] = [new AbortController(), new AbortController()]
  const looked = (async () => check.look({ ...ground, signal: late.signal }))().catch((error) => [failed(error)])
  const timeIsUp = sleep(limitMs, undefined, { signal: early.signal }).then(() => {
    late.abort()
    return [tooSlow(limitMs)]
  })
  timeIsUp.catch(() => {})
  const findings = await Promise.race([looked, timeIsUp])
  early.abort()
  return findings
}

const tooSlow = (limitMs: number): Finding => ({
  level: 'wrong',
  text: `This check did not end within ${limitMs / 1000} seconds: a disk or a host may hang.`,
})

const failed = (error: unknown): Finding => ({
  level: 'wrong',
  text: sentenceFor(error) ?? `This check itself failed: ${(error as Error).message ?? error}.`,
})

export const countOf = (found: readonly Finding[], wanted: Level) =>
  found.filter(({ level }) => level === wanted).length
