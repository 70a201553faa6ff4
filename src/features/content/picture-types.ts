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

const startsWith = (bytes: Buffer, text: string, at = 0) =>
  bytes.length >= at + text.length && bytes.toString('latin1', at, at + text.length) === text

/** What the first bytes say a file is, whatever its name says. */
export function typeOfBytes(bytes: Buffer): PictureType | undefined {
  if (startsWith(bytes, '\xff\xd8\xff')) return 'jpeg'
  if (startsWith(bytes, '\x89PNG\r\n\x1a\n')) return 'png'
  if (startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a')) return 'gif'
  if (startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8)) return 'webp'
  return isAvif(bytes) ? 'avif' : undefined
}

/** Its first box lists the brands that it fits; `avif` need not be the first of them. */
function isAvif(bytes: Buffer): boolean {
  if (!startsWith(bytes, 'ftyp', 4)) return false
  const brands = bytes.toString('latin1', 8, Math.min(bytes.readUInt32BE(0), 256))
  return /^(?:.{4})*?avi[fs]/s.test(brands)
}
