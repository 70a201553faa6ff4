import { ConfigError } from '../config/config.ts'
import { ApiError } from '../errors/index.ts'
import { CommandError } from './command.ts'

const reasons: Record<string, string> = {
  ENOENT: 'it does not exist',
  EACCES: 'it may not be read or written',
  EPERM: 'it may not be read or written',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
  EEXIST: 'it is in the way',
  EROFS: 'its disk is read-only',
  ENOSPC: 'the disk is full',
  EMFILE: 'too many files are open',
}

/** What is wrong, for the person who typed; undefined where it is a bug, of which a developer wants to see more. */
export function sentenceFor(error: unknown): string | undefined {
  if (error instanceof CommandError || error instanceof ConfigError || error instanceof ApiError) return error.message
  const { code = '', path, syscall } = error as NodeJS.ErrnoException
  return code && syscall ? `${path ?? 'A file'} cannot be used: ${reasons[code] ?? code}.` : undefined
}
