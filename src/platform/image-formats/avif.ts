import {
  checkItems,
  checkProperties,
  checkReferences,
  FULL_BOX_BYTES,
  hideOtherItems,
  iterateBoxes,
} from './avif-items.ts'
import { consistsOf, type ImageFormat, readName, UnsafeImage } from './format.ts'
import { isSafeProfile } from './metadata.ts'

/** Usual files have three boxes. A decoder allocates memory for each of them. */
const MAX_BOXES = 64
/** Tracks are missing: only the still image is read. */
const fileBoxes = ['ftyp', 'meta', 'mdat']
/** Lists of items, of their places, references and properties, the main item, and data. */
const metaBoxes = ['hdlr', 'pitm', 'iinf', 'iloc', 'iref', 'iprp', 'idat']

/** Reads the brands in the first box of an ISO media file: the major one, and those after the version. */
function readBrands(head: string): string[] {
  if (head.slice(4, 8) !== 'ftyp') return []
  const size = Math.min(Buffer.from(head.slice(0, 4), 'latin1').readUInt32BE(), head.length)
  return (head.slice(8, 12) + head.slice(16, size)).match(/.{4}/gs) ?? []
}

/** Renames boxes that the image does not need. Decoders skip them then. Returns the content of the others. */
function hideOtherBoxes(bytes: Buffer, start: number, needed: readonly string[], single: readonly string[]) {
  const contents = new Map<string, Buffer>()
  let count = 0
  for (const box of iterateBoxes(bytes, start)) {
    if (++count > MAX_BOXES) throw new UnsafeImage(`has more than ${MAX_BOXES} boxes`)
    if (!needed.includes(box.type)) bytes.write('free', box.start + 4)
    // Of two boxes, a decoder might read the one that is not checked.
    else if (single.includes(box.type) && contents.has(box.type)) throw new UnsafeImage(`has several boxes ${box.type}`)
    else contents.set(box.type, box.content)
  }
  return contents
}

/** Overwrites colour profiles that are not safe. Decoders ignore an invalid profile. */
function hideUnsafeProfiles(properties: Buffer): void {
  for (const container of iterateBoxes(properties)) {
    for (const { type, content } of iterateBoxes(container.content)) {
      const isProfile = type === 'colr' && ['prof', 'rICC'].includes(readName(content, 0))
      if (isProfile && !isSafeProfile(content.subarray(4))) content.fill(0, 4)
    }
  }
}

/** Hides everything but one still image: tracks, EXIF (which AVIF does not use for its orientation) and other items. */
function stripMetadata(bytes: Buffer): Buffer {
  const meta = hideOtherBoxes(bytes, 0, fileBoxes, ['meta']).get('meta')
  if (!meta) return bytes
  const boxes = hideOtherBoxes(meta, FULL_BOX_BYTES, metaBoxes, metaBoxes)
  const [items, locations, references, properties] = ['iinf', 'iloc', 'iref', 'iprp'].map((type) => boxes.get(type))
  if (items) hideOtherItems(items)
  if (properties) hideUnsafeProfiles(properties)
  // Last, because they could contain bytes that were changed before.
  if (references) checkReferences(references)
  if (properties) checkProperties(properties)
  if (locations) checkItems(bytes, locations, boxes.get('idat') ?? Buffer.alloc(0))
  return bytes
}

const imageBoxes = [...fileBoxes, 'moov']

export const avif = {
  hasSignature: (head) => readBrands(head).some((brand) => brand === 'avif' || brand === 'avis'),
  stripMetadata,
  containsOnlyImage: (bytes) =>
    consistsOf(0, bytes.length, (at) => ({
      isImage: imageBoxes.includes(readName(bytes, at + 4)),
      next: at + bytes.readUInt32BE(at),
    })),
} satisfies ImageFormat
