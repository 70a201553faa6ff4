/** Why nothing was published, in words for the operator. Nothing has changed when it is thrown. */
export class PublishError extends Error {}

/** Completes "<what> must …". */
export function demand(holds: boolean, what: string, rule: string): void {
  if (!holds) throw new PublishError(`${what} ${rule}.`)
}
