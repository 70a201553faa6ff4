// A ramp raises the rollout of a release step by step. The percentage depends only on the record and on the time, so it
// survives restarts, is the same on every node, and needs no timer.
import type { Problem } from '../../platform/logging/index.ts'
import type { ReleaseRecord } from './read/schemas.ts'
import type { Release } from './release.ts'

/** As in releases.yaml, but it always has the time of its first step. */
export interface Ramp extends Omit<NonNullable<ReleaseRecord['ramp']>, 'steps'> {
  readonly steps: readonly number[]
  readonly start: string
}

type Ramped = Pick<Release, 'rollout' | 'ramp'>

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }
const MAX_INTERVAL_MS = 30 * UNIT_MS.d!

// Each rule completes "<field> …".
export const intervalRule = 'must be from 1m to 30d, such as 30m, 24h or 7d'
export const stepsRule = 'must be ascending whole numbers from 1 to 100, such as 10, 50, 100'
export const stepRange = { minimum: 1, maximum: 100 }

export function parseInterval(text: string): number | undefined {
  const [, number = '', unit = ''] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? []
  const interval = Number(number) * (UNIT_MS[unit] ?? 0)
  return interval > 0 && interval <= MAX_INTERVAL_MS ? interval : undefined
}

export const areSteps = (steps: readonly number[]) =>
  steps.length > 0 &&
  steps.every((step, index) => Number.isInteger(step) && step > (steps[index - 1] ?? 0) && step <= stepRange.maximum)

interface RampStep {
  readonly percent: number
  /** When the step begins (ms). */
  readonly time: number
}

/** The steps that the ramp reaches unless it is changed. A paused ramp stays at the step at which it was paused. */
export function listSteps({ steps, every, start, pausedAt }: Ramp): RampStep[] {
  const [startTime, interval] = [Date.parse(start), parseInterval(every)!]
  const end = pausedAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(pausedAt)
  return steps
    .map((percent, index) => ({ percent, time: startTime + index * interval }))
    .filter(({ time }, index) => index === 0 || time <= end)
}

/** The percentage of installations that are offered the release. Before its start a ramp is at its first step. */
export const getRollout = ({ rollout, ramp }: Ramped, now: number): number =>
  ramp ? (listSteps(ramp).findLast(({ time }, index) => index === 0 || time <= now)?.percent ?? rollout) : rollout

/** Undefined if the ramp is complete or paused. */
export const findNextStep = ({ ramp }: Ramped, now: number): RampStep | undefined =>
  ramp && listSteps(ramp).find(({ time }, index) => index > 0 && time > now)

export const hasTooManyFailures = ({ failures, maxFailures = 100 }: Pick<Ramp, 'failures' | 'maxFailures'>) =>
  // Without a division: 7 / 100 * 100 is more than 7.
  failures !== undefined && failures.failed * 100 > maxFailures * failures.total

export const rampStates = ['running', 'complete', 'paused', 'stopped'] as const

/** What an operator sees of a ramp. It is stopped if reported failures paused it. */
export function describeRamp(release: Ramped, now: number) {
  const { ramp } = release
  if (!ramp) return undefined
  const { steps, every, pausedAt, maxFailures, failures } = ramp
  const next = findNextStep(release, now)
  const state: (typeof rampStates)[number] =
    pausedAt === undefined ? (next ? 'running' : 'complete') : hasTooManyFailures(ramp) ? 'stopped' : 'paused'
  const nextStep = next && { percent: next.percent, date: new Date(next.time).toISOString() }
  return { steps, every, state, nextStep, pausedAt, maxFailures, failures }
}

/** Ramps that failures have stopped. */
export const findStoppedRamps = (releases: readonly Release[]): Problem[] =>
  releases.flatMap((release) => {
    const { application, version, withdrawn, ramp } = release
    if (withdrawn || ramp?.pausedAt === undefined || !hasTooManyFailures(ramp)) return []
    const { failed, total } = ramp.failures!
    const percent = getRollout(release, Date.parse(ramp.pausedAt))
    const message =
      `The ramp of ${application} ${version} is paused at ${percent} %: ${failed} of ${total} installations failed, ` +
      `more than ${ramp.maxFailures} %; withdraw the release, or resume its ramp`
    return [{ file: 'releases.yaml', rule: 'failures', message }]
  })
