/** Why nothing was published, in words for the operator. Nothing has changed when it is thrown. */
export class PublishError extends Error {}

/** Completes "<what> must …". */
export function demand(holds: boolean, what: string, rule: string): void {
  if (!holds) throw new PublishError(`${what} ${rule}.`)
}

/** A full disk, a folder that may not be written: the operator hears it in the same way as a refusal. */
export function asPublishError(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  return error instanceof PublishError || !code ? error : new PublishError(`Nothing was changed: ${message}.`)
}
