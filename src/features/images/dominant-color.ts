import type { Frame } from '../filters/index.ts'

/** Bits per channel that are compared: similar colours count as one. */
const BITS = 4
const SHIFT = 8 - BITS
/** Pixels below are hardly visible, whatever their colour. */
const MIN_ALPHA = 128

/** The mean of the most frequent group of similar colours, as #rrggbb. White if nothing is visible. */
export function findDominantColor({ data, channels }: Pick<Frame, 'data' | 'channels'>): string {
  /** Count and sums of red, green and blue for each group. */
  const groups = new Uint32Array(4 << (3 * BITS))
  let largest = 0
  for (let at = 0; at + channels <= data.length; at += channels) {
    const [red, green, blue] = [data[at]!, data[at + 1]!, data[at + 2]!]
    if (channels === 4 && data[at + 3]! < MIN_ALPHA) continue
    const group = 4 * ((((red >> SHIFT) << BITS) | (green >> SHIFT)) * (1 << BITS) + (blue >> SHIFT))
    groups[group]! += 1
    groups[group + 1]! += red
    groups[group + 2]! += green
    groups[group + 3]! += blue
    if (groups[group]! > groups[largest]!) largest = group
  }
  const [count, ...sums] = groups.subarray(largest, largest + 4)
  if (!count) return '#ffffff'
  return `#${sums
    .map((sum) =>
      Math.round(sum / count)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`
}
