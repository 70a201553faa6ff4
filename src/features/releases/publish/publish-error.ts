import { PublishError, UsageError } from '../../../errors/index.ts'
import { rolloutRange } from '../read/schemas.ts'
import { describeDateError, parseDate } from '../release.ts'

/** The rule completes "<subject> must …". */
export function assertRule(isMet: boolean, subject: string, rule: string, ErrorType = PublishError): asserts isMet {
  if (!isMet) throw new ErrorType(`${subject} ${rule}.`)
}

export function assertInput(isValid: boolean, subject: string, rule: string): asserts isValid {
  assertRule(isValid, subject, rule, UsageError)
}

export function parseInputDate(text: string): string {
  const date = parseDate(text)
  assertInput(date !== undefined, 'The time', describeDateError(text))
  return date
}

export function assertRollout(rollout = rolloutRange.maximum): void {
  const { minimum, maximum } = rolloutRange
  const isValid = Number.isInteger(rollout) && rollout >= minimum && rollout <= maximum
  assertInput(isValid, 'The rollout', `must be a whole number from ${minimum} to ${maximum}`)
}
