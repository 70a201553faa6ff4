// Random content, pictures, files, releases, and publishing.
import type { ErrorDetails } from './define.ts'
import { ApiError, defineError, PublishError, quote, UnknownEntryError, UsageError, useOneOf } from './define.ts'
import { InvalidBody } from './request.ts'

export const UnknownKind = defineError('UNKNOWN_KIND', 404, {
  summary: 'The kind or filter in the path does not exist.',
  example: ['kind', 'unicorn', ['cat', 'dog', 'fox', 'fish', 'alpaca', 'bird']],
  describe: (noun: 'kind' | 'filter', name: string, allowed: string[]) => ({
    message: `There is no ${noun} ${quote(name)}. ${useOneOf(allowed)}`,
    allowed,
  }),
})

interface AvailableDetails {
  readonly hasItems: boolean
  /** Picture types. */
  readonly available: readonly string[]
  readonly availableTags?: readonly string[]
  /** `availableTags` has only the first ones. */
  readonly hasMoreTags?: boolean
  readonly availableOrientations?: readonly string[]
}

function describeAvailable({ available, availableTags, hasMoreTags, availableOrientations }: AvailableDetails) {
  const listedTags = hasMoreTags ? 'many tags, such as those in `availableTags`' : 'the tags in `availableTags`'
  const parts = [
    available.length > 0 ? `the types ${available.join(', ')}` : '',
    availableOrientations ? `the orientations ${availableOrientations.join(', ')}` : '',
    availableTags ? (availableTags.length > 0 ? listedTags : 'no tags') : '',
  ].filter(Boolean)
  const existing = parts.length > 0 ? ` The items have ${parts.join(', and ')}.` : ' Send fewer ids in "avoid".'
  return `No item was found that matches these parameters.${existing}`
}

export const NothingMatches = defineError('NOTHING_MATCHES', 404, {
  summary: 'The kind has no items, or none that match "type", "exclude", "tags", "orientation" and "avoid".',
  example: [{ hasItems: true, available: ['svg', 'webp'], availableTags: ['crown', 'snow'] }],
  describe: (found: AvailableDetails) => {
    const { hasItems, hasMoreTags, ...details } = found
    const message = hasItems
      ? describeAvailable(found)
      : 'This kind has no items at the moment. Retry later, or use another kind.'
    return { message, ...details }
  },
})

export const MediaNotFound = defineError('MEDIA_NOT_FOUND', 404, {
  summary: 'The picture does not exist.',
  describe: () => 'No picture has this name. The random endpoints return URLs of existing pictures.',
})

export const UnknownFile = defineError('UNKNOWN_FILE', 404, {
  summary: 'The file does not exist.',
  example: ['/docs/guides'],
  describe: (seePath: string) => `Nothing exists at this path. See ${seePath}.`,
})

export const UnknownApplication = defineError('UNKNOWN_APPLICATION', 404, {
  summary: 'The application in the path does not exist.',
  example: ['game', ['launcher', 'reshade', 'fpsUnlocker']],
  describe: (application: string, allowed: string[]) => ({
    message: `There is no application ${quote(application)}. ${useOneOf(allowed)}`,
    allowed,
  }),
})

export const UnknownTier = defineError('UNKNOWN_TIER', 404, {
  summary: 'The tier in the path does not exist.',
  example: ['9', ['2', '3']],
  describe: (tier: string, allowed: string[]) => ({
    message: `There is no tier ${quote(tier)}. ${useOneOf(allowed)}`,
    allowed,
  }),
})

export const NotPublished = defineError('NOT_PUBLISHED', 404, {
  summary: 'The path is valid, but nothing is published under it.',
  example: ['a release of reshade for linux'],
  describe: (subject: string) => `Not published: ${subject}. Retry later.`,
})

export const FileGone = defineError('FILE_GONE', 404, {
  summary: 'The release is published, but its file is missing or was changed.',
  example: ['2.1.0'],
  describe: (version: string) => ({
    message: `The file of version ${version} is missing or was changed. The operator must restore it.`,
    version,
  }),
})

export const InvalidVersion = defineError('INVALID_VERSION', 400, {
  summary: 'A version in the path or query is not valid.',
  example: ['current'],
  describe: (parameter: string) => ({
    message: `The parameter "${parameter}" must be one to four numbers with an optional pre-release, such as 8.7.3.1 or 2.1.0-beta.1: at most 100 characters, 15 digits per number, and no leading zeros.`,
    parameter,
  }),
})

// Publishing over HTTP: changes, their history, and uploads.

export const ChangeRefused = defineError('CHANGE_REFUSED', 409, {
  summary: 'The change conflicts with the published content, or the files cannot be changed.',
  example: ['launcher 2.1.0 is already withdrawn.'],
  describe: (message: string, details: ErrorDetails = {}) => ({ ...details, message }),
})

export const UnknownEntry = defineError('UNKNOWN_ENTRY', 404, {
  summary: 'The entry to read or change is not published.',
  example: ['There is no release launcher 9.9.9.'],
  describe: (message: string) => message,
})

export const UnknownChange = defineError('UNKNOWN_CHANGE', 404, {
  summary: 'The history has no change with this id.',
  example: [42],
  describe: (id: number) => `The history has no change ${id}. Old changes are removed from it.`,
})

export const ChangedSince = defineError('CHANGED_SINCE', 409, {
  summary: 'A change cannot be undone, because the same file was changed after it.',
  example: ['app/releases.yaml was changed since. Undo the later changes first, or edit it.'],
  describe: (message: string, details: ErrorDetails = {}) => ({ ...details, message }),
})

export const UnknownUpload = defineError('UNKNOWN_UPLOAD', 404, {
  summary: 'There is no upload with this SHA-256.',
  describe: () => 'There is no upload with this SHA-256. Send it from its first byte.',
})

export const UploadOffset = defineError('UPLOAD_OFFSET', 409, {
  summary: 'The part of the upload would leave a gap: bytes before it were not received.',
  example: [65_536],
  describe: (bytes: number) => ({
    message: `${bytes} bytes were received. Continue with byte ${bytes}, or start again.`,
    bytes,
  }),
})

export const InvalidContentRange = defineError('INVALID_CONTENT_RANGE', 400, {
  summary: 'The header Content-Range is invalid, or the body does not have the length that it states.',
  example: ['Content-Range must have the form "bytes 0-999/5000": first byte, last byte and size.'],
  describe: (message: string) => message,
})

export const UploadDigest = defineError('UPLOAD_DIGEST', 422, {
  summary: 'The SHA-256 of the uploaded bytes differs from the SHA-256 in the path.',
  example: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  describe: (sha256: string) => ({
    message: `The bytes have the SHA-256 ${sha256}. The upload was removed; send it again.`,
    sha256,
  }),
})

export const StorageFull = defineError('STORAGE_FULL', 507, {
  summary: 'The disk, or the space for uploads, is full.',
  example: ['The disk of DATA_DIR is full.'],
  describe: (message: string) => message,
})

/** Node's system errors name absolute paths: EEXIST: file already exists, mkdir '/srv/content/news'. */
const removeFolders = (message: string) => message.replace(/'(?:[A-Z]:)?[\\/][^']*[\\/]([^'\\/]*)'/g, '$1')

/** The error that a client sees. Undefined: the error is a bug. */
export function toApiError(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error
  if (error instanceof UnknownEntryError) return new UnknownEntry(error.message)
  if (error instanceof PublishError) return new ChangeRefused(removeFolders(error.message))
  if (error instanceof UsageError) return new InvalidBody(error.message)
  return undefined
}
