import { describeDateError, parseDate } from '../release.ts'

/** Nothing was published, and nothing was changed. The message is for the operator. */
export class PublishError extends Error {}

/** The input is invalid, whatever is already published. */
export class InvalidInputError extends PublishError {}

/** The rule completes "<subject> must …". */
export function assertRule(isMet: boolean, subject: string, rule: string, ErrorType = PublishError): asserts isMet {
  if (!isMet) throw new ErrorType(`${subject} ${rule}.`)
}

export function assertInput(isValid: boolean, subject: string, rule: string): asserts isValid {
  assertRule(isValid, subject, rule, InvalidInputError)
}

export function parseInputDate(text: string): string {
  const date = parseDate(text)
  assertInput(date !== undefined, 'The time', describeDateError(text))
  return date
}
