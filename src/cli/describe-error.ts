import { ConfigError } from '../config/config.ts'
import { ApiError } from '../errors/index.ts'
import { CommandError } from './command.ts'

const fileProblems: Record<string, string> = {
  ENOENT: 'it does not exist',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
  EEXIST: 'it already exists',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EMFILE: 'too many files are open',
}

/** The message for the user, or undefined if the error is a bug, which needs its stack. */
export function describeError(error: unknown): string | undefined {
  if (error instanceof CommandError || error instanceof ConfigError || error instanceof ApiError) return error.message
  const { code = '', path, syscall } = error as NodeJS.ErrnoException
  return code && syscall ? `${path ?? 'A file'} cannot be used: ${fileProblems[code] ?? code}.` : undefined
}
