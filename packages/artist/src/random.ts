import { hash } from 'node:crypto'

/** Names of the possibilities of one trait, each with its weight. */
export type Options = Readonly<Record<string, number>>

/**
 * Chances that follow from a seed alone. Each is asked for by name and owes nothing to the others,
 * so a new trait leaves every picture's old traits as they were.
 */
export interface Chance {
  readonly id: string
  choose<T extends Options>(name: string, options: T): keyof T & string
  pick<T>(name: string, list: readonly T[]): T
  between(name: string, min: number, max: number): number
  /** An endless row of numbers in [0, 1). */
  row(name: string): () => number
}

const known = new WeakMap<Options, { names: string[]; weights: number[]; total: number }>()

/** The tables are few and never change: each is taken apart once. */
function weighed(options: Options) {
  const found = known.get(options)
  if (found) return found
  const names = Object.keys(options)
  const weights = names.map((option) => options[option]!)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const made = { names, weights, total }
  known.set(options, made)
  return made
}

function scramble(value: number) {
  let h = value | 0
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d)
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b)
  return (h ^ (h >>> 16)) >>> 0
}

export function chanceOf(seed: string): Chance {
  const digest = hash('sha256', seed, 'buffer')
  const words = [0, 4, 8, 12].map((offset) => digest.readUInt32LE(offset))

  const start = (name: string) => {
    let h = words[0]!
    for (let i = 0; i < name.length; i++) h = scramble(h + name.charCodeAt(i) * 0x9e3779b1) ^ words[i & 3]!
    return h
  }
  const row = (name: string) => {
    let state = start(name)
    return () => {
      state = (state + 0x9e3779b9) | 0
      return scramble(state) / 2 ** 32
    }
  }
  const unit = (name: string) => row(name)()

  return {
    id: digest.toString('hex', 0, 3),
    row,
    choose(name, options) {
      const { names, weights, total } = weighed(options)
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

/** The same weight for each name of a table. */
export const evenly = <T extends object>(table: T) =>
  Object.fromEntries(Object.keys(table).map((name) => [name, 1])) as { readonly [K in keyof T]: number }
