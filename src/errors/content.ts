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
  'kind',
  'unicorn',
  ['alpaca', 'bird', 'cat', 'dog', 'fish', 'fox'],
)

interface AvailableDetails {
  readonly hasItems: boolean
  /** Picture types. */
  readonly available: readonly string[]
  readonly availableTags?: readonly string[]
  readonly availableOrientations?: readonly string[]
}

function describeAvailable({ available, availableTags, availableOrientations }: Omit<AvailableDetails, 'hasItems'>) {
  const parts = [
    available.length > 0 ? `the types ${available.join(', ')}` : '',
    availableOrientations ? `the orientations ${availableOrientations.join(', ')}` : '',
    availableTags ? (availableTags.length > 0 ? 'the tags in `availableTags`' : 'no tags') : '',
  ].filter(Boolean)
  const existing = parts.length > 0 ? ` This kind has ${parts.join(', and ')}.` : ' Avoid fewer items.'
  return `No item matches these parameters, or only very few do.${existing}`
}

export const NothingMatches = defineError(
  'NOTHING_MATCHES',
  404,
  'The kind has no items, or none that match "type", "exclude", "tags", "orientation" and "avoid".',
  ({ hasItems, ...details }: AvailableDetails) => ({
    message: hasItems
      ? describeAvailable(details)
      : 'This kind has no items at the moment. Retry later, or use another kind.',
    ...details,
  }),
  { hasItems: true, available: ['svg', 'webp'], availableTags: ['crown', 'snow'] },
)

export const MediaNotFound = defineError('MEDIA_NOT_FOUND', 404, 'The picture does not exist.', () => ({
  message: 'No picture has this name. The random endpoints return URLs of existing pictures.',
}))

export const UnknownFile = defineError(
  'UNKNOWN_FILE',
  404,
  'The file does not exist.',
  (seePath: string) => ({
    message: `Nothing exists at this path. See ${seePath}.`,
  }),
  '/docs/guides',
)
