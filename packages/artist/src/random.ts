import { hash } from 'node:crypto'

/** The options of one trait: name -> weight. */
export type Options = Readonly<Record<string, number>>

/**
 * Random choices that depend only on the seed. Each choice has a name and is independent of the others, so adding a
 * trait does not change the other traits of existing pictures.
 */
export interface Chance {
  readonly id: string
  choose<T extends Options>(name: string, options: T): keyof T & string
  pick<T>(name: string, list: readonly T[]): T
  between(name: string, min: number, max: number): number
  /** An endless sequence of numbers in [0, 1). */
  sequence(name: string): () => number
}

const weightTables = new WeakMap<Options, { names: string[]; weights: number[]; total: number }>()

/** There are few option tables and they never change, so each is converted once. */
function readWeights(options: Options) {
  const found = weightTables.get(options)
  if (found) return found
  const names = Object.keys(options)
  const weights = names.map((option) => options[option]!)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const table = { names, weights, total }
  weightTables.set(options, table)
  return table
}

function scramble(value: number) {
  let h = value | 0
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d)
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b)
  return (h ^ (h >>> 16)) >>> 0
}

export function createChance(seed: string): Chance {
  const digest = hash('sha256', seed, 'buffer')
  const words = [0, 4, 8, 12].map((offset) => digest.readUInt32LE(offset))

  const start = (name: string) => {
    let h = words[0]!
    for (let i = 0; i < name.length; i++) h = scramble(h + name.charCodeAt(i) * 0x9e3779b1) ^ words[i & 3]!
    return h
  }
  const sequence = (name: string) => {
    let state = start(name)
    return () => {
      state = (state + 0x9e3779b9) | 0
      return scramble(state) / 2 ** 32
    }
  }
  const unit = (name: string) => sequence(name)()

  return {
    id: digest.toString('hex', 0, 3),
    sequence,
    choose(name, options) {
      const { names, weights, total } = readWeights(options)
      let rest = unit(name) * total
      for (let i = 0; i < names.length; i++) {
        rest -= weights[i]!
        if (rest < 0) return names[i]!
      }
      return names.at(-1)!
    },
    pick: (name, list) => list[Math.floor(unit(name) * list.length)]!,
    between: (name, min, max) => min + unit(name) * (max - min),
  }
}

/** Gives each key of a table the same weight. */
export const equalWeights = <T extends object>(table: T) =>
  Object.fromEntries(Object.keys(table).map((name) => [name, 1])) as { readonly [K in keyof T]: number }
