import { artistKinds } from '../../../packages/artist/src/index.ts'
import { detectFormat } from '../../platform/image-formats/index.ts'
import type { Problem } from '../../platform/logging/index.ts'

/** Each category is a folder of CONTENT_DIR. Built-in kinds always exist; files and folders there add others. */
const builtInKinds = {
  animals: artistKinds,
  string: ['8ball'],
  kaomoji: ['cat', 'dog', 'owo', 'uwu', 'love'],
  'yt-video': ['hl-cats'],
} as const satisfies Record<string, readonly string[]>

export type Category = keyof typeof builtInKinds
export type ListCategory = Exclude<Category, 'animals'>

export const categories = Object.keys(builtInKinds) as Category[]
export const listCategories = categories.filter((category) => category !== 'animals')

export const isBuiltInKind = (category: Category, kind: string) =>
  (builtInKinds[category] as readonly string[]).includes(kind)

/** In a path of v2: all kinds of the category. */
export const ANY_KIND = 'any'

/** A kind is a URL segment and part of documents: only plain characters, so that no two kinds look alike. */
export const isKindName = (name: string) => /^[a-z0-9-]{1,64}$/.test(name) && name !== ANY_KIND

export const invalidKindName = (file: string): Problem => ({
  file,
  rule: 'kind-name',
  message: 'The name of a kind may have at most 64 characters: a-z, 0-9 and -. "any" is reserved.',
})

/** Built-in kinds in the order of the API, then the others by name. */
export function sortKinds(category: Category, kinds: Iterable<string>): string[] {
  const builtIn: readonly string[] = builtInKinds[category]
  return [...builtIn, ...[...kinds].filter((kind) => !builtIn.includes(kind)).sort()]
}

/** Picture types of files, and `svg`, which only drawings have. */
export const pictureTypes = {
  jpeg: { mime: 'image/jpeg', extensions: ['jpg', 'jpeg', 'jpe', 'jfif'] },
  png: { mime: 'image/png', extensions: ['png'] },
  webp: { mime: 'image/webp', extensions: ['webp'] },
  gif: { mime: 'image/gif', extensions: ['gif'] },
  avif: { mime: 'image/avif', extensions: ['avif'] },
  svg: { mime: 'image/svg+xml', extensions: [] },
} as const

export type PictureType = keyof typeof pictureTypes
export type FileType = Exclude<PictureType, 'svg'>
export const pictureTypeNames = Object.keys(pictureTypes) as PictureType[]

const typeByExtension = new Map<string, PictureType>(
  pictureTypeNames.flatMap((type) => pictureTypes[type].extensions.map((extension) => [extension, type] as const)),
)

/** `photo.of.me.JPG` -> stem `photo.of.me`, extension `JPG`. */
export function splitName(name: string): { stem: string; extension: string } {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? { stem: name.slice(0, dot), extension: name.slice(dot + 1) } : { stem: name, extension: '' }
}

export const typeOfName = (name: string) => typeByExtension.get(splitName(name).extension.toLowerCase())

/** Detects the type by the first bytes; the name of a file may be wrong. */
export function typeOfBytes(bytes: Buffer): FileType | undefined {
  const format = detectFormat(bytes)
  return format === 'tiff' ? undefined : format
}
