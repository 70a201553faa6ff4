// URLs of drawings and of their share pages. Bundled into the page scripts, so it imports nothing.

export const AVATAR_SIZES = [64, 128, 256, 512] as const
/** What `/media/animals` draws without `?size=`. */
export const DEFAULT_SIZE = 512
export const BACKGROUNDS = ['scene', 'none'] as const
/** In characters. `/media/animals` refuses longer names. */
export const MAX_NAME_LENGTH = 200

/** One drawing, and the form in which a page offers it. */
export interface DrawingChoice {
  readonly kind: string
  readonly name: string
  readonly size: number
  readonly background: string
}

/**
 * Also encodes what encodeURIComponent leaves: `'` ends a word of a shell and a text of a program, and `)` a link of
 * Markdown.
 */
export const encodeText = (text: string) =>
  encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** What a person typed, as a name. Composed characters, because keyboards differ in how they write `ë`. */
export const readName = (typed: string): string =>
  [
    ...typed
      .toWellFormed()
      .normalize('NFC')
      .replace(/\p{Cc}+/gu, ' ')
      .trim(),
  ]
    .slice(0, MAX_NAME_LENGTH)
    .join('')
    .trim()

const formatOptions = ({ size, background }: DrawingChoice) => {
  const options = [size !== DEFAULT_SIZE && `size=${size}`, background !== 'scene' && `background=${background}`]
  return options.filter(Boolean).join('&')
}

const withQuery = (path: string, query: string) =>
  query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`

/** Relative to the root of the service, like all paths here. */
export const buildDrawingPath = (choice: DrawingChoice, type: 'svg' | 'png'): string =>
  withQuery(`media/animals/${choice.kind}/~${encodeText(choice.name)}.${type}`, formatOptions(choice))

/** The reply describes the drawing. */
export const buildDescriptionPath = (choice: DrawingChoice): string =>
  withQuery(buildDrawingPath({ ...choice, size: DEFAULT_SIZE }, 'svg'), 'format=json')

/** Browsers remove the segments `.` and `..` from a path, even if they are encoded. */
export const isDotSegment = (name: string): boolean => name === '.' || name === '..'

export const buildSharePath = (kind: string, name: string): string =>
  isDotSegment(name) ? `a?kind=${kind}&name=${name}` : `a/${kind}/${encodeText(name)}`

/** The share page with these options. */
export const buildChoicePath = (choice: DrawingChoice): string =>
  withQuery(buildSharePath(choice.kind, choice.name), formatOptions(choice))

// They would reorder the words around a name, where the text cannot isolate it.
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** For plain text such as a title; HTML shows the name in a `<bdi>`. */
export const formatTitle = ({ kind, name }: Pick<DrawingChoice, 'kind' | 'name'>): string =>
  `${name.replace(DIRECTION_MARKS, '')} the ${kind}`

/** Letters, marks, digits and emoji are safe in the file systems of all platforms. */
export const buildFileName = ({ kind, name }: DrawingChoice, type: 'svg' | 'png'): string => {
  const words = name.match(/[\p{L}\p{M}\p{N}\p{Extended_Pictographic}]+/gu) ?? []
  return `${[kind, ...words].join('-').slice(0, 60).toWellFormed()}.${type}`
}
