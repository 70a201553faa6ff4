// Ramps of published releases: start, pause, resume, and failures that the operator reports.
import { PublishError } from '../../../errors/index.ts'
import { buildCatalogue } from '../catalogue.ts'
import {
  areSteps,
  findNextStep,
  getRollout,
  hasTooManyFailures,
  intervalRule,
  parseInterval,
  type Ramp,
  stepsRule,
} from '../ramp.ts'
import type { ReleaseRecord } from '../read/schemas.ts'
import type { Application, Release } from '../release.ts'
import { assertPublic, changeRecord, isRunning, now, type ReleaseChangeOptions, type Target } from './change-release.ts'
import { assertInput, assertRule } from './edit-file.ts'

export type RampOptions = Pick<Ramp, 'steps' | 'every' | 'maxFailures'>

export function assertRamp({ steps, every, maxFailures = 0 }: RampOptions): void {
  assertInput(areSteps(steps), 'The steps of a ramp', stepsRule)
  assertInput(parseInterval(every) !== undefined, 'The interval of a ramp', intervalRule)
  assertInput(maxFailures >= 0 && maxFailures <= 100, 'The share of failures', 'must be a percentage from 0 to 100')
}

export async function rampRelease({ ramp, ...options }: ReleaseChangeOptions & { ramp: RampOptions }) {
  assertRamp(ramp)
  return changeRecord(options, (target) => {
    const { subject, record, set } = target
    assertPublic(target)
    const release = toRelease(options.application, record)
    const isScheduled = Date.parse(release.date) > Date.now()
    const percent = isScheduled ? 0 : getRollout(release, Date.now())
    const rule = `is already offered to ${percent} % of installations, so a ramp cannot start at ${ramp.steps[0]} %; lower its rollout first`
    assertRule(ramp.steps[0]! >= percent, subject, rule)
    set(['rollout'], undefined)
    set(['ramp'], { ...ramp, start: isScheduled ? undefined : now() })
  })
}

const getRamp = (target: Target): NonNullable<ReleaseRecord['ramp']> => {
  assertPublic(target)
  const { subject, record } = target
  if (!record.ramp) throw new PublishError(`${subject} has no ramp; "release rollout" sets its percentage.`)
  return record.ramp
}

export const pauseRamp = (options: ReleaseChangeOptions) =>
  changeRecord(options, (target) => {
    const { subject, record, set } = target
    assertRule(getRamp(target).pausedAt === undefined, `The ramp of ${subject}`, 'is already paused')
    const release = toRelease(options.application, record)
    assertRule(findNextStep(release, Date.now()) !== undefined, `The ramp of ${subject}`, 'is complete')
    set(['ramp', 'pausedAt'], now())
    return { rollout: getRollout(release, Date.now()) }
  })

/** The next step follows after the time that was left when the ramp was paused. */
export const resumeRamp = (options: ReleaseChangeOptions) =>
  changeRecord(options, (target) => {
    const { subject, record, set } = target
    const { pausedAt } = getRamp(target)
    assertRule(pausedAt !== undefined, `The ramp of ${subject}`, 'is not paused')
    const release = toRelease(options.application, record)
    const start = Date.parse(release.ramp!.start)
    // A pause before the start, or in the future of a clock that was wrong, delays nothing.
    const pausedMs = Math.max(0, Date.now() - Math.max(Date.parse(pausedAt), start))
    set(['ramp', 'start'], new Date(start + pausedMs).toISOString())
    set(['ramp', 'pausedAt'], undefined)
    // The operator accepts them: a later pause has another cause.
    set(['ramp', 'failures'], undefined)
    return { rollout: getRollout(release, Date.now()) }
  })

/** Pauses the ramp if the share of failures is above its limit. */
export async function reportFailures(report: ReleaseChangeOptions & { failed: number; total: number }) {
  const { failed, total, ...options } = report
  const areCounts = Number.isSafeInteger(failed) && Number.isSafeInteger(total) && failed >= 0 && total > 0
  assertInput(
    areCounts && failed <= total,
    'The failures',
    'must be two whole numbers, such as 12 of 300 installations',
  )
  return changeRecord(options, (target) => {
    const ramp = getRamp(target)
    const failures = { failed, total }
    const isTooMany = hasTooManyFailures({ ...ramp, failures })
    target.set(['ramp', 'failures'], failures)
    if (isTooMany && isRunning(target.record)) target.set(['ramp', 'pausedAt'], now())
    const rollout = getRollout(toRelease(options.application, target.record), Date.now())
    return { isPaused: isTooMany || ramp.pausedAt !== undefined, isTooMany, rollout }
  })
}

const toRelease = (application: Application, record: ReleaseRecord): Release =>
  buildCatalogue({ releases: { [application]: [record] } }).releases[application][0]!
