import { hash, randomFillSync } from 'node:crypto'

/** Gives 32 random bits a call. */
export type Draw = () => number

const POOL_WORDS = 1024

/** The system's randomness, fetched 4 KiB at a time: a call for each number would cost more than the number's use. */
export function unpredictableDraw(): Draw {
  const pool = new Uint32Array(POOL_WORDS)
  let at = POOL_WORDS
  return () => {
    if (at === POOL_WORDS) {
      randomFillSync(pool)
      at = 0
    }
    return pool[at++]!
  }
}

/** The same numbers for the same seed, of whatever length: xoshiro128** started from the seed's SHA-256. */
export function repeatableDraw(seed: string): Draw {
  const start = hash('sha256', seed, 'buffer')
  let a = start.readUInt32LE(0)
  let b = start.readUInt32LE(4)
  let c = start.readUInt32LE(8)
  let d = start.readUInt32LE(12)
  return () => {
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0
    const shifted = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = rotate(d, 11)
    return result
  }
}

const rotate = (word: number, bits: number) => (word << bits) | (word >>> (32 - bits))

/** A number from 0 to `size` - 1. Words past the last whole multiple of `size` are drawn again: they would favour the first numbers. */
export function below(size: number, draw: Draw): number {
  const fair = 2 ** 32 - (2 ** 32 % size)
  let word = draw()
  while (word >= fair) word = draw()
  return word % size
}

/**
 * `count` places out of `size`, in random order, none twice before all have come. The start of a Fisher-Yates shuffle
 * in which only the moved places are written down, so that its cost is that of `count`, not of `size`.
 */
export function choose(count: number, size: number, draw: Draw): number[] {
  const moved = new Map<number, number>()
  const chosen: number[] = []
  for (let i = 0; i < count; i++) {
    const first = i % size
    if (first === 0) moved.clear()
    const place = first + below(size - first, draw)
    chosen.push(moved.get(place) ?? place)
    moved.set(place, moved.get(first) ?? first)
  }
  return chosen
}

/** 64 random bits as a name. */
export const shortSeed = (draw: Draw) => word(draw()) + word(draw())

/** Ten bits as two characters: looking them up is much faster than turning a number into text. */
const PAIRS = Array.from({ length: 2 ** 10 }, (_, bits) => bits.toString(32).padStart(2, '0'))
const word = (bits: number) =>
  PAIRS[bits & 1023]! + PAIRS[(bits >>> 10) & 1023]! + PAIRS[(bits >>> 20) & 1023]! + (bits >>> 30)
