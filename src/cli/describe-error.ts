import { getSystemErrorMessage } from 'node:util'
import { ApiError, OperatorError } from '../errors/index.ts'

/** The message for the user, or undefined if the error is a bug, which needs its stack. */
export function describeError(error: unknown): string | undefined {
  if (error instanceof OperatorError || error instanceof ApiError) return error.message
  const { errno, path, syscall } = error as NodeJS.ErrnoException
  return errno && syscall ? `${path ?? 'A file'} cannot be used: ${getSystemErrorMessage(errno)}.` : undefined
}
