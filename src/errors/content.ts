// Random content, pictures, files and pages.
import { defineError, quote, useOneOf } from './define.ts'

export const UnknownKind = defineError(
  'UNKNOWN_KIND',
  404,
  'The kind or filter in the path does not exist.',
  (noun: 'kind' | 'filter', name: string, allowed: string[]) => ({
    message: `There is no ${noun} ${quote(name)}. ${useOneOf(allowed)}`,
    allowed,
  }),
)

export const NothingMatches = defineError(
  'NOTHING_MATCHES',
  404,
  'The kind has no items, or none that match "type" and "exclude".',
  (available: string[]) => ({
    message:
      available.length > 0
        ? `No item matches these parameters. This kind has the types ${available.join(', ')}.`
        : 'This kind has no items at the moment. Retry later, or use another kind.',
    available,
  }),
)

export const MediaNotFound = defineError('MEDIA_NOT_FOUND', 404, 'The picture does not exist.', () => ({
  message: 'No picture has this name. The random endpoints return URLs of existing pictures.',
}))

export const UnknownFile = defineError('UNKNOWN_FILE', 404, 'The file does not exist.', (seePath: string) => ({
  message: `Nothing exists at this path. See ${seePath}.`,
}))
