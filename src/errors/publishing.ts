// Publishing over HTTP: changes, their history, and uploads.
import { ApiError, defineError, type ErrorDetails, PublishError, UnknownEntryError, UsageError } from './define.ts'
import { InvalidBody } from './request.ts'

export const ChangeRefused = defineError(
  'CHANGE_REFUSED',
  409,
  'The change is not possible with what is published now, or the files cannot be changed.',
  (message: string, details: ErrorDetails = {}) => ({ ...details, message }),
)

export const UnknownEntry = defineError(
  'UNKNOWN_ENTRY',
  404,
  'The entry to read or change is not published.',
  (message: string) => ({ message }),
)

export const UnknownChange = defineError(
  'UNKNOWN_CHANGE',
  404,
  'The history has no change with this id.',
  (id: number) => ({
    message: `The history has no change ${id}. Old changes are removed from it.`,
  }),
)

export const ChangedSince = defineError(
  'CHANGED_SINCE',
  409,
  'A change cannot be undone, because the same file was changed after it.',
  (message: string, details: ErrorDetails = {}) => ({ ...details, message }),
)

export const UnknownUpload = defineError('UNKNOWN_UPLOAD', 404, 'No byte of this upload is there.', () => ({
  message: 'There is no upload with this SHA-256. Send it from its first byte.',
}))

export const UploadOffset = defineError(
  'UPLOAD_OFFSET',
  409,
  'The part of the upload does not continue what is there.',
  (bytes: number) => ({ message: `${bytes} bytes are there. Continue with the next one, or start again.`, bytes }),
)

export const InvalidContentRange = defineError(
  'INVALID_CONTENT_RANGE',
  400,
  'The header Content-Range is invalid, or the body does not have the length that it states.',
  (message: string) => ({ message }),
)

export const UploadDigest = defineError(
  'UPLOAD_DIGEST',
  422,
  'The uploaded bytes have another SHA-256 than the path of the upload.',
  (sha256: string) => ({
    message: `The bytes have the SHA-256 ${sha256}. The upload was removed; send it again.`,
    sha256,
  }),
)

export const StorageFull = defineError(
  'STORAGE_FULL',
  507,
  'The disk, or the space for uploads, is full.',
  (message: string) => ({ message }),
)

/** The error that a client sees. Undefined: the error is a bug. */
export function toApiError(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error
  if (error instanceof UnknownEntryError) return new UnknownEntry(error.message)
  if (error instanceof PublishError) return new ChangeRefused(error.message)
  if (error instanceof UsageError) return new InvalidBody(error.message)
  return undefined
}
