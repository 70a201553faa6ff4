/**
 * The options of one trait, by name. An option of weight 2 is chosen twice as often as one of weight 1. The weights are
 * a matter of taste: plain options are frequent, extravagant ones rare.
 *
 * Adding, removing or reordering options, or changing a weight, changes the drawings of existing seeds; the recorded
 * digests in `test/packages/artist/` detect this. A new trait does not affect the other choices.
 */
export type Weights = Readonly<Record<string, number>>

/**
 * Random choices that depend only on the seed. Each choice has a name and is independent of the others, so adding a
 * trait does not change the other traits of existing pictures.
 */
export interface Chance {
  /** A short id of the seed. */
  readonly id: string
  /** An option, by weight. */
  choose<T extends Weights>(name: string, options: T): keyof T & string
  /** An element of the list; all are equally likely. */
  pick<T>(name: string, list: readonly T[]): T
  between(name: string, min: number, max: number): number
  /** An endless sequence of numbers in [0, 1). */
  sequence(name: string): () => number
}

const weightTables = new WeakMap<Weights, { names: string[]; weights: number[]; total: number }>()

/** There are few option tables and they never change, so each is converted once. */
function readWeights(options: Weights) {
  const found = weightTables.get(options)
  if (found) return found
  const names = Object.keys(options)
  const weights = Object.values(options)
  const table = { names, weights, total: weights.reduce((sum, weight) => sum + weight, 0) }
  weightTables.set(options, table)
  return table
}

/** lowbias32 by Chris Wellons: each bit of the input affects all bits of the result. */
function mixBits(value: number) {
  let h = value | 0
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d)
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b)
  return (h ^ (h >>> 16)) >>> 0
}

/** Four numbers that each depend on every character. Not for secrets: collisions can be constructed. */
export function hashSeed(seed: string): readonly number[] {
  const words = [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344]
  for (let i = 0; i < seed.length; i++) {
    const word = i & 3
    words[word] = mixBits(words[word]! + words[(word + 3) & 3]! + seed.charCodeAt(i) * 0x9e3779b1)
  }
  // Two more rounds carry the last characters into all words.
  for (let i = 0; i < 8; i++) words[i & 3] = mixBits(words[i & 3]! + words[(i + 3) & 3]! + seed.length)
  return words
}

function hashName(seedWords: readonly number[], name: string) {
  let h = seedWords[0]!
  for (let i = 0; i < name.length; i++) h = mixBits(h + name.charCodeAt(i) * 0x9e3779b1) ^ seedWords[i & 3]!
  return h
}

/** 2^32 divided by the golden ratio. */
const WEYL_STEP = 0x9e3779b9

/** The first number of a sequence. */
const drawNumber = (seedWords: readonly number[], name: string) =>
  mixBits((hashName(seedWords, name) + WEYL_STEP) | 0) / 2 ** 32

/** `chance.choose` for the hash of a seed: searches for a seed call it 100,000 times. */
export function chooseOption(seedWords: readonly number[], name: string, options: Weights): string {
  const { names, weights, total } = readWeights(options)
  let rest = drawNumber(seedWords, name) * total
  for (let i = 0; i < names.length; i++) {
    rest -= weights[i]!
    if (rest < 0) return names[i]!
  }
  return names.at(-1)!
}

export function createChance(seed: string): Chance {
  const seedWords = hashSeed(seed)

  // A Weyl sequence with mixed bits, as in SplitMix.
  const sequence = (name: string) => {
    let state = hashName(seedWords, name)
    return () => {
      state = (state + WEYL_STEP) | 0
      return mixBits(state) / 2 ** 32
    }
  }
  const draw = (name: string) => drawNumber(seedWords, name)

  return {
    id: (seedWords[0]! & 0xffffff).toString(36),
    sequence,
    choose: (name, options) => chooseOption(seedWords, name, options),
    pick: (name, list) => list[Math.floor(draw(name) * list.length)]!,
    between: (name, min, max) => min + draw(name) * (max - min),
  }
}

/** Gives each key of a table the same weight. */
export const equalWeights = <T extends object>(table: T) =>
  Object.fromEntries(Object.keys(table).map((name) => [name, 1])) as { readonly [K in keyof T]: number }
