/** A standard error of 0.81 %: 1.04 divided by the square root of the number of registers. */
const INDEX_BITS = 14
const REGISTERS = 2 ** INDEX_BITS
const MAX_RANK = 64 - INDEX_BITS + 1
const HEADER_BYTES = 16
export const SKETCH_BYTES = HEADER_BYTES + (REGISTERS * 6) / 8
/** The last byte of the header says that Redis has not computed the estimate yet. */
const HEADER = Buffer.from('HYLL\0\0\0\0\0\0\0\0\0\0\0\x80', 'latin1')

/**
 * A HyperLogLog: estimates how many different values were added to it as hashes, and holds none of them. Its bytes are
 * those of a dense HyperLogLog of Redis, which can merge and count it.
 */
export class HyperLogLog {
  readonly #registers = new Uint8Array(REGISTERS)

  /** Returns false if no register changed. */
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

/** 64 bits as two halves: the numbers of JavaScript have 53 bits, and BigInt takes twenty times as long. */
type Hash = { high: number; low: number }

/**
 * SipHash-2-4 (Aumasson and Bernstein, 2012): a hash that nobody can compute without its key of 16 bytes. Made for
 * short texts. Characters above 255 count by their low byte. Each call overwrites and returns the same object.
 *
 * SHA-256 of node:crypto takes 1 µs instead of 0.5 µs in a loop, and several times as long between requests, when its
 * code has left the CPU caches (bench/app.ts, part `adoption`).
 */
export function createSipHash(key: Uint8Array): (text: string) => Hash {
  const { buffer, byteOffset } = key
  const view = new DataView(buffer, byteOffset, 16)
  const [k0l, k0h, k1l, k1h] = [0, 4, 8, 12].map((at) => view.getInt32(at, true)) as [number, number, number, number]
  const result: Hash = { high: 0, low: 0 }

  return (text) => {
    let [v0h, v0l, v1h, v1l] = [k0h ^ 0x736f6d65, k0l ^ 0x70736575, k1h ^ 0x646f7261, k1l ^ 0x6e646f6d]
    let [v2h, v2l, v3h, v3l] = [k0h ^ 0x6c796765, k0l ^ 0x6e657261, k1h ^ 0x74656462, k1l ^ 0x79746573]
    const { length } = text
    const blocks = (length >>> 3) + 1
    for (let block = 0; block <= blocks; block++) {
      const isEnd = block === blocks
      let [mh, ml] = [0, 0]
      if (isEnd) v2l ^= 0xff
      else {
        ml = readWord(text, 8 * block)
        mh = readWord(text, 8 * block + 4)
        if (block === blocks - 1) mh |= length << 24
      }
      v3h ^= mh
      v3l ^= ml
      for (let round = isEnd ? 4 : 2; round > 0; round--) {
        let sum = (v0l >>> 0) + (v1l >>> 0)
        v0h = (v0h + v1h + (sum > 0xffffffff ? 1 : 0)) | 0
        v0l = sum | 0
        let rotated = (v1h << 13) | (v1l >>> 19)
        v1l = ((v1l << 13) | (v1h >>> 19)) ^ v0l
        v1h = rotated ^ v0h
        rotated = v0h
        v0h = v0l
        v0l = rotated
        sum = (v2l >>> 0) + (v3l >>> 0)
        v2h = (v2h + v3h + (sum > 0xffffffff ? 1 : 0)) | 0
        v2l = sum | 0
        rotated = (v3h << 16) | (v3l >>> 16)
        v3l = ((v3l << 16) | (v3h >>> 16)) ^ v2l
        v3h = rotated ^ v2h
        sum = (v0l >>> 0) + (v3l >>> 0)
        v0h = (v0h + v3h + (sum > 0xffffffff ? 1 : 0)) | 0
        v0l = sum | 0
        rotated = (v3h << 21) | (v3l >>> 11)
        v3l = ((v3l << 21) | (v3h >>> 11)) ^ v0l
        v3h = rotated ^ v0h
        sum = (v2l >>> 0) + (v1l >>> 0)
        v2h = (v2h + v1h + (sum > 0xffffffff ? 1 : 0)) | 0
        v2l = sum | 0
        rotated = (v1h << 17) | (v1l >>> 15)
        v1l = ((v1l << 17) | (v1h >>> 15)) ^ v2l
        v1h = rotated ^ v2h
        rotated = v2h
        v2h = v2l
        v2l = rotated
      }
      v0h ^= mh
      v0l ^= ml
    }
    result.high = v0h ^ v1h ^ v2h ^ v3h
    result.low = v0l ^ v1l ^ v2l ^ v3l
    return result
  }
}

const readByte = (text: string, at: number) => (at < text.length ? text.charCodeAt(at) & 0xff : 0)

const readWord = (text: string, at: number) =>
  readByte(text, at) | (readByte(text, at + 1) << 8) | (readByte(text, at + 2) << 16) | (readByte(text, at + 3) << 24)
