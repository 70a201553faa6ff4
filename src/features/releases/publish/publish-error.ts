/** Why nothing was published, in words for the operator. Nothing has changed when it is thrown. */
export class PublishError extends Error {}

/** What was said is wrong in itself, whatever is published already. */
export class WrongWords extends PublishError {}

/** Completes "<what> must …". */
export function demand(holds: boolean, what: string, rule: string, Why = PublishError): void {
  if (!holds) throw new Why(`${what} ${rule}.`)
}

/** Of what was said: its form, not its meaning. */
export const demandWords = (holds: boolean, what: string, rule: string) => demand(holds, what, rule, WrongWords)

/** A full disk, a folder that may not be written: the operator hears it in the same way as a refusal. */
export function asPublishError(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  return error instanceof PublishError || !code ? error : new PublishError(`Nothing was changed: ${message}.`)
}
