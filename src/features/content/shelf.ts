import { NothingMatches } from '../../errors/index.ts'
import type { Picture } from './picture.ts'
import type { PictureType } from './picture-types.ts'
import { below, choose, type Draw } from './random.ts'
import type { Collection, Wish } from './types.ts'

interface Run {
  type: PictureType
  start: number
  count: number
}

/** Pictures by type, then name, so that those of some types are a few runs: a choice among them needs no search. */
export class Shelf implements Collection {
  readonly pictures: readonly Picture[]
  readonly #runs: Run[] = []

  /** `pictures` must be in the order of `byTypeAndName`. */
  constructor(pictures: readonly Picture[]) {
    this.pictures = pictures
    for (const [start, { facts }] of pictures.entries()) {
      const last = this.#runs.at(-1)
      if (last?.type === facts.type) last.count++
      else this.#runs.push({ type: facts.type, start, count: 1 })
    }
  }

  get count() {
    return this.pictures.length
  }

  get types() {
    return new Map(this.#runs.map(({ type, count }) => [type, count]))
  }

  pick(wish: Wish, draw: Draw) {
    const runs = this.#wished(wish)
    return this.#at(runs, below(total(runs), draw))
  }

  pickMany(count: number, wish: Wish, draw: Draw) {
    const runs = this.#wished(wish)
    return choose(count, total(runs), draw).map((place) => this.#at(runs, place))
  }

  #wished({ types, exclude }: Wish): Run[] {
    const runs =
      types || exclude
        ? this.#runs.filter(({ type }) => (types?.includes(type) ?? true) && !exclude?.includes(type))
        : this.#runs
    if (runs.length === 0) throw new NothingMatches(this.#runs.map(({ type }) => type))
    return runs
  }

  #at(runs: Run[], place: number): Picture {
    let rest = place
    for (const { start, count } of runs) {
      if (rest < count) return this.pictures[start + rest]!
      rest -= count
    }
    throw new RangeError(`no picture at ${place}`)
  }
}

const total = (runs: Run[]) => runs.reduce((sum, { count }) => sum + count, 0)

/** By code units and not by a language's order: a seed must choose alike on every machine. */
export function byTypeAndName(a: Picture, b: Picture): number {
  if (a.facts.type !== b.facts.type) return a.facts.type < b.facts.type ? -1 : 1
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}
