import { hash, randomFillSync } from 'node:crypto'

/** Returns 32 random bits per call. */
export type Random = () => number

const POOL_WORDS = 1024

/** Uses the system's random numbers, 4 KiB at a time: a system call for each number would be too slow. */
export function createSecureRandom(): Random {
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

/** Always the same numbers for the same seed: xoshiro128**, initialised with the SHA-256 of the seed. */
export function createSeededRandom(seed: string): Random {
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

/** A number from 0 to `size` - 1. Skips words above the last multiple of `size`, which would favour low numbers. */
export function randomBelow(size: number, random: Random): number {
  const fair = 2 ** 32 - (2 ** 32 % size)
  let word = random()
  while (word >= fair) word = random()
  return word % size
}

/**
 * The indexes below `size` in random order. This is a Fisher-Yates shuffle that stores only the moved indexes, so its
 * cost depends on how many are read, not on `size`.
 */
export function* shuffleIndexes(size: number, random: Random): Generator<number, void> {
  const moved = new Map<number, number>()
  for (let first = 0; first < size; first++) {
    const index = first + randomBelow(size - first, random)
    yield moved.get(index) ?? index
    moved.set(index, moved.get(first) ?? first)
  }
}

/** 64 random bits as text. */
export const createSeed = (random: Random) => wordToText(random()) + wordToText(random())

/** Two characters for each ten bits: a lookup is much faster than converting a number to text. */
const PAIRS = Array.from({ length: 2 ** 10 }, (_, bits) => bits.toString(32).padStart(2, '0'))
const wordToText = (bits: number) =>
  PAIRS[bits & 1023]! + PAIRS[(bits >>> 10) & 1023]! + PAIRS[(bits >>> 20) & 1023]! + (bits >>> 30)
