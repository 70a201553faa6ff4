// Builds TIFF files from their tags.
export const [SHORT, LONG] = [3, 4]
export const HEADER_BYTES = 8

/** A tag with its values, or with the place of its values. */
export type Tag = readonly [
  tag: number,
  type: number,
  values: readonly number[] | { readonly offset: number; readonly count: number },
]

/** The header, the data, the directory, and values that do not fit into it. */
export function file(tags: readonly Tag[], data: Buffer): Buffer {
  const padded = Buffer.concat([data, Buffer.alloc(data.length % 2)])
  const directory = HEADER_BYTES + padded.length
  const entries = Buffer.alloc(2 + 12 * tags.length + 4)
  const values: Buffer[] = []
  let end = directory + entries.length
  entries.writeUInt16LE(tags.length)
  for (const [nth, [tag, type, content]] of [...tags].sort(([a], [b]) => a - b).entries()) {
    const at = 2 + 12 * nth
    entries.writeUInt16LE(tag, at)
    entries.writeUInt16LE(type, at + 2)
    if ('offset' in content) {
      entries.writeUInt32LE(content.count, at + 4)
      entries.writeUInt32LE(content.offset, at + 8)
      continue
    }
    entries.writeUInt32LE(content.length, at + 4)
    const bytes = Buffer.alloc(content.length * (type === SHORT ? 2 : 4))
    content.forEach((value, place) => {
      if (type === SHORT) bytes.writeUInt16LE(value, 2 * place)
      else bytes.writeUInt32LE(value, 4 * place)
    })
    if (bytes.length <= 4) bytes.copy(entries, at + 8)
    else {
      entries.writeUInt32LE(end, at + 8)
      values.push(bytes)
      end += bytes.length
    }
  }
  const head = Buffer.from('II*\0\0\0\0\0', 'latin1')
  head.writeUInt32LE(directory, 4)
  return Buffer.concat([head, padded, entries, ...values])
}
