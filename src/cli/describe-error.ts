import { getSystemErrorMessage } from 'node:util'
import { ConfigError } from '../config/config.ts'
import { ApiError } from '../errors/index.ts'
import { CommandError } from './command.ts'

/** The message for the user, or undefined if the error is a bug, which needs its stack. */
export function describeError(error: unknown): string | undefined {
  if (error instanceof CommandError || error instanceof ConfigError || error instanceof ApiError) return error.message
  const { errno, path, syscall } = error as NodeJS.ErrnoException
  return errno && syscall ? `${path ?? 'A file'} cannot be used: ${getSystemErrorMessage(errno)}.` : undefined
}
