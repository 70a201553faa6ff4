// Builds AVIF files from their parts.
import sharp from 'sharp'

export const u16 = (...values: number[]) => Buffer.from(values.flatMap((value) => [(value >> 8) & 0xff, value & 0xff]))
const u32 = (...values: number[]) => Buffer.concat(values.map((value) => u16(value >>> 16, value & 0xff_ff)))
export const repeat = (part: Buffer, count: number) => Buffer.alloc(part.length * count, part)

export function box(type: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content)
  return Buffer.concat([u32(body.length + 8), Buffer.from(type, 'latin1'), body])
}
export const fullBox = (type: string, version: number, ...content: Buffer[]) =>
  box(type, u32(version << 24), ...content)

export const size = (width: number, height: number) => fullBox('ispe', 0, u32(width, height))

export interface Item {
  readonly type: string
  /** In the box `idat`, or a range of the data of the file. */
  readonly data: Buffer | { readonly length: number; readonly times?: number }
  /** Indexes of properties, from 1. */
  readonly properties?: readonly number[]
  /** For items of the type `mime`. */
  readonly encoding?: string
}

export interface Parts {
  /** The first is the image to show. Their numbers start at 1. */
  readonly items: readonly Item[]
  readonly properties: readonly Buffer[]
  readonly references?: readonly [type: string, from: number, to: readonly number[]][]
  readonly data: Buffer
  /** Boxes after the others within `meta`, and within the file. */
  readonly extraMeta?: Buffer
  readonly extraBoxes?: Buffer
}

function file({ items, properties, references = [], data, extraMeta, extraBoxes }: Parts): Buffer {
  const brands = box('ftyp', Buffer.from('avif\0\0\0\0avifmif1miaf'))
  const inBox: Buffer[] = []
  let used = 0
  const buildMeta = (start: number) => {
    const locations = items.map(({ data: place }, nth) => {
      if (Buffer.isBuffer(place)) {
        if (inBox.length < items.length) inBox.push(place)
        const at = used
        used += place.length
        return Buffer.concat([u16(nth + 1, 1, 0, 1), u32(at, place.length)])
      }
      const { times = 1, length } = place
      return Buffer.concat([u16(nth + 1, 0, 0, times), repeat(u32(start, length), times)])
    })
    const infos = items.map(({ type, encoding }, nth) =>
      fullBox(
        'infe',
        2,
        u16(nth + 1, 0),
        Buffer.from(`${type}\0`),
        Buffer.from(encoding ? `application/rdf+xml\0${encoding}\0` : ''),
      ),
    )
    const uses = items.map(({ properties: indexes = [] }, nth) =>
      Buffer.concat([u16(nth + 1), Buffer.from([indexes.length]), u16(...indexes)]),
    )
    return fullBox(
      'meta',
      0,
      fullBox('hdlr', 0, u32(0), Buffer.from('pict'), Buffer.alloc(13)),
      fullBox('pitm', 0, u16(1)),
      fullBox('iloc', 1, u16(0x44_00, items.length), ...locations),
      fullBox('iinf', 0, u16(items.length), ...infos),
      ...(references.length === 0
        ? []
        : [fullBox('iref', 0, ...references.map(([type, from, to]) => box(type, u16(from, to.length, ...to))))]),
      box('iprp', box('ipco', ...properties), box('ipma', Buffer.from([0, 0, 0, 1]), u32(items.length), ...uses)),
      box('idat', Buffer.concat(items.map((item) => (Buffer.isBuffer(item.data) ? item.data : Buffer.alloc(0))))),
      ...(extraMeta ? [extraMeta] : []),
    )
  }
  const { length } = buildMeta(0)
  used = 0
  return Buffer.concat([
    brands,
    buildMeta(brands.length + length + 8),
    box('mdat', data),
    extraBoxes ?? Buffer.alloc(0),
  ])
}

/** The data of an image of one colour, and the property with its configuration. */
async function encode(side: number) {
  const picture = sharp({ create: { width: side, height: side, channels: 3, background: '#369' } })
  const bytes = await picture.avif({ effort: 0 }).toBuffer()
  const at = bytes.indexOf('av1C') - 4
  return {
    config: bytes.subarray(at, at + bytes.readUInt32BE(at)),
    data: bytes.subarray(bytes.indexOf('mdat') + 4),
  }
}

/** One image and what `change` adds to it. */
export async function still(
  side: number,
  change: (parts: Parts, image: Item) => Partial<Parts> = () => ({}),
): Promise<Buffer> {
  const { config, data } = await encode(side)
  const image: Item = { type: 'av01', data: { length: data.length }, properties: [1, 2] }
  const parts: Parts = { items: [image], properties: [config, size(side, side)], data }
  return file({ ...parts, ...change(parts, image) })
}

/** Changes the sequence header of an image of 64x64 pixels, so that it claims 65,536 per side. */
export function claimLargeFrame(data: Buffer): Buffer {
  // A delimiter of two bytes; the type and the length of the header; its content.
  const [start, end] = [4, 4 + data[3]!]
  const bits = [...data.subarray(start, end)].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  // Ten bits of flags; the lengths of width and height, less one, in four bits each; width and height less one.
  const changed = bits.slice(0, 10) + '1'.repeat(4 + 4 + 16 + 16) + bits.slice(10 + 4 + 4 + 6 + 6)
  const bytes = Buffer.from(changed.match(/.{1,8}/g)!.map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2)))
  return Buffer.concat([data.subarray(0, 3), Buffer.from([bytes.length]), bytes, data.subarray(end)])
}
