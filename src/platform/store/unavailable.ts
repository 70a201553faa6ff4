import { type ApiError, StoreUnavailable } from '../../errors/index.ts'

/** Long enough for a reconnect, short enough that a launcher still waits. */
const RETRY_AFTER_SECONDS = 5

/** Why the store is away, in words that hold no path, address or secret: they may be shown to strangers. */
export class StoreTrouble extends Error {}

/** What a caller is told, with the reason as its cause. */
export function unavailable(trouble: StoreTrouble): ApiError {
  const error = new StoreUnavailable(RETRY_AFTER_SECONDS)
  error.cause = trouble
  return error
}

/** The reason in words, or undefined where the error is not about the store being away. */
export const troubleOf = (error: unknown): string | undefined => {
  const cause = error instanceof StoreUnavailable ? error.cause : error
  return cause instanceof StoreTrouble ? cause.message : undefined
}
