// Publishing over HTTP: changes, their history, and uploads.
import { ApiError, defineError, type ErrorDetails, PublishError, UnknownEntryError, UsageError } from './define.ts'
import { InvalidBody } from './request.ts'

export const ChangeRefused = defineError(
  'CHANGE_REFUSED',
  409,
  'The change is not possible with what is published now, or the files cannot be changed.',
  (message: string, details: ErrorDetails = {}) => ({ ...details, message }),
  'launcher 2.1.0 is already withdrawn',
)

export const UnknownEntry = defineError(
  'UNKNOWN_ENTRY',
  404,
  'The entry to read or change is not published.',
  (message: string) => ({ message }),
  'launcher 9.9.9 is not published',
)

export const UnknownChange = defineError(
  'UNKNOWN_CHANGE',
  404,
  'The history has no change with this id.',
  (id: number) => ({
    message: `The history has no change ${id}. Old changes are removed from it.`,
  }),
  42,
)

export const ChangedSince = defineError(
  'CHANGED_SINCE',
  409,
  'A change cannot be undone, because the same file was changed after it.',
  (message: string, details: ErrorDetails = {}) => ({ ...details, message }),
  'app/releases/launcher.yaml was changed after this change',
)

export const UnknownUpload = defineError('UNKNOWN_UPLOAD', 404, 'No byte of this upload was received.', () => ({
  message: 'There is no upload with this SHA-256. Send it from its first byte.',
}))

export const UploadOffset = defineError(
  'UPLOAD_OFFSET',
  409,
  'The part starts after the last received byte of the upload.',
  (bytes: number) => ({ message: `${bytes} bytes were received. Continue with the next one, or start again.`, bytes }),
  65_536,
)

export const InvalidContentRange = defineError(
  'INVALID_CONTENT_RANGE',
  400,
  'The header Content-Range is invalid, or the body does not have the length that it states.',
  (message: string) => ({ message }),
  'The header Content-Range must be such as "bytes 0-1023/4096".',
)

export const UploadDigest = defineError(
  'UPLOAD_DIGEST',
  422,
  'The uploaded bytes have another SHA-256 than the path of the upload.',
  (sha256: string) => ({
    message: `The bytes have the SHA-256 ${sha256}. The upload was removed; send it again.`,
    sha256,
  }),
  '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
)

export const StorageFull = defineError(
  'STORAGE_FULL',
  507,
  'The disk, or the space for uploads, is full.',
  (message: string) => ({ message }),
  'The disk is full. Remove files, then send the upload again.',
)

/** The error that a client sees. Undefined: the error is a bug. */
export function toApiError(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error
  if (error instanceof UnknownEntryError) return new UnknownEntry(error.message)
  if (error instanceof PublishError) return new ChangeRefused(error.message)
  if (error instanceof UsageError) return new InvalidBody(error.message)
  return undefined
}
