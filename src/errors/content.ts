// Random content.
import { defineError, oneOf } from './define.ts'

export const UnknownKind = defineError(
  'UNKNOWN_KIND',
  404,
  'The path names a kind or a filter that does not exist.',
  (kind: string, allowed: string[]) => ({
    message: `There is no "${kind.slice(0, 64)}" here; ${oneOf(allowed)}.`,
    allowed,
  }),
)

export const NothingMatches = defineError(
  'NOTHING_MATCHES',
  404,
  'The kind exists, but no item is left after type and exclude.',
  (available: string[]) => ({
    message:
      available.length > 0
        ? `No item is left with these wishes; this kind has the types ${available.join(', ')}.`
        : 'This kind holds no item at the moment.',
    available,
  }),
)

export const MediaNotFound = defineError('MEDIA_NOT_FOUND', 404, 'There is no such picture.', () => ({
  message: 'There is no such picture, or it was replaced; ask the random endpoint of its kind for another.',
}))
