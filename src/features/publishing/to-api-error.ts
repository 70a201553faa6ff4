import {
  ApiError,
  ChangeRefused,
  InvalidBody,
  PublishError,
  UnknownEntry,
  UnknownEntryError,
  UsageError,
} from '../../errors/index.ts'

/** The error that a client sees. Undefined: the error is a bug. */
export function toApiError(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error
  if (error instanceof UnknownEntryError) return new UnknownEntry(error.message)
  if (error instanceof PublishError) return new ChangeRefused(error.message)
  if (error instanceof UsageError) return new InvalidBody(error.message)
  return undefined
}
