import type { Hash } from './sip-hash.ts'

/** A standard error of 0.81 %: 1.04 divided by the square root of the number of registers. */
const INDEX_BITS = 14
const REGISTERS = 2 ** INDEX_BITS
const MAX_RANK = 64 - INDEX_BITS + 1
const HEADER_BYTES = 16
export const SKETCH_BYTES = HEADER_BYTES + (REGISTERS * 6) / 8
/** The last byte of the header says that Redis has not computed the estimate yet. */
const HEADER = Buffer.from('HYLL\0\0\0\0\0\0\0\0\0\0\0\x80', 'latin1')

/**
 * A HyperLogLog: estimates how many different values were added to it as hashes, and holds none of them. Its bytes are those of a
 * dense HyperLogLog of Redis, which can merge and count it.
 */
export class HyperLogLog {
  readonly #registers = new Uint8Array(REGISTERS)

  /** Returns false if the value was added before, or another one makes it irrelevant. */
  add({ high, low }: Hash): boolean {
    const rest = high << INDEX_BITS
    const rank = 1 + (rest === 0 ? 32 - INDEX_BITS + Math.clz32(low) : Math.clz32(rest))
    return this.#raise(high >>> (32 - INDEX_BITS), rank)
  }

  /** Adds everything that was added to another one. */
  merge(bytes: Uint8Array): this {
    for (let at = HEADER_BYTES, index = 0; index < REGISTERS; at += 3, index += 4) {
      const four = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16)
      for (let n = 0; n < 4; n++) this.#raise(index + n, (four >>> (6 * n)) & 63)
    }
    return this
  }

  toBytes(): Uint8Array {
    const bytes = new Uint8Array(SKETCH_BYTES)
    bytes.set(HEADER)
    const registers = this.#registers
    for (let at = HEADER_BYTES, index = 0; index < REGISTERS; at += 3, index += 4) {
      const four =
        registers[index]! | (registers[index + 1]! << 6) | (registers[index + 2]! << 12) | (registers[index + 3]! << 18)
      bytes[at] = four
      bytes[at + 1] = four >>> 8
      bytes[at + 2] = four >>> 16
    }
    return bytes
  }

  /** Otmar Ertl, "New cardinality estimation algorithms for HyperLogLog sketches", 2017: the estimator of Redis. */
  estimate(): number {
    const counts = new Array<number>(MAX_RANK + 1).fill(0)
    for (const rank of this.#registers) counts[rank]!++
    let sum = 0
    for (let rank = MAX_RANK; rank > 0; rank--) sum = (sum + counts[rank]!) / 2
    sum += REGISTERS * computeSigma(counts[0]! / REGISTERS)
    return Math.round((REGISTERS / sum) * (REGISTERS / (2 * Math.LN2)))
  }

  #raise(index: number, rank: number): boolean {
    if (rank <= this.#registers[index]!) return false
    this.#registers[index] = rank
    return true
  }
}

/** The contribution of empty registers. */
function computeSigma(empty: number): number {
  if (empty === 1) return Number.POSITIVE_INFINITY
  let [sum, power, factor, previous] = [empty, empty, 1, -1]
  while (sum !== previous) {
    previous = sum
    power *= power
    sum += power * factor
    factor *= 2
  }
  return sum
}
