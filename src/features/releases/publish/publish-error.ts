/** Nothing was published, and nothing was changed. The message is for the operator. */
export class PublishError extends Error {}

/** The input is invalid, whatever is already published. */
export class InvalidInputError extends PublishError {}

/** The rule completes "<subject> must …". */
export function assertRule(isMet: boolean, subject: string, rule: string, ErrorType = PublishError): void {
  if (!isMet) throw new ErrorType(`${subject} ${rule}.`)
}

export const assertInput = (isValid: boolean, subject: string, rule: string) =>
  assertRule(isValid, subject, rule, InvalidInputError)

/** System errors, such as a full disk, become a message for the operator. */
export function toPublishError(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  return error instanceof PublishError || !code ? error : new PublishError(`Nothing was changed: ${message}.`)
}
