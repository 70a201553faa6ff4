import { detectFormat } from '../../platform/image-formats/index.ts'

/** The types of pictures that are read from files, and `svg`, which only the artist makes. */
export const pictureTypes = {
  jpeg: { mime: 'image/jpeg', extensions: ['jpg', 'jpeg', 'jpe', 'jfif'] },
  png: { mime: 'image/png', extensions: ['png'] },
  webp: { mime: 'image/webp', extensions: ['webp'] },
  gif: { mime: 'image/gif', extensions: ['gif'] },
  avif: { mime: 'image/avif', extensions: ['avif'] },
  svg: { mime: 'image/svg+xml', extensions: [] },
} as const

export type PictureType = keyof typeof pictureTypes
export const pictureTypeNames = Object.keys(pictureTypes) as PictureType[]

const byExtension = new Map<string, PictureType>(
  pictureTypeNames.flatMap((type) => pictureTypes[type].extensions.map((extension) => [extension, type] as const)),
)

/** `photo.of.me.JPG` -> stem `photo.of.me`, extension `JPG`. */
export function splitName(name: string): { stem: string; extension: string } {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? { stem: name.slice(0, dot), extension: name.slice(dot + 1) } : { stem: name, extension: '' }
}

export const typeOfName = (name: string) => byExtension.get(splitName(name).extension.toLowerCase())

/** Detects the type by the first bytes, whatever the file name says. */
export function typeOfBytes(bytes: Buffer): Exclude<PictureType, 'svg'> | undefined {
  const format = detectFormat(bytes)
  return format === 'tiff' ? undefined : format
}
