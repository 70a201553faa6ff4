import type { Stamp } from '../../platform/files/index.ts'
import type { PictureCredit } from './credits.ts'
import { type PictureType, splitName } from './kinds.ts'
import { type Random, randomBelow, shuffleIndexes } from './random.ts'
import type { Collection, PickOptions, PictureItem } from './types.ts'

export interface PictureInfo {
  /** The first 12 hex digits of the SHA-256 of the bytes. */
  id: string
  type: PictureType
  width: number
  height: number
  /** Missing until it is analysed. */
  color?: string
}

/** Null if there is no time to analyse the picture now. */
export type FindColor = (picture: Picture, client?: string) => Promise<string | null>

/** A picture file. There may be 100,000 of them, so it stores little. */
export class Picture implements PictureItem {
  readonly kind: string
  /** The name in the folder. */
  readonly name: string
  /** The public name contains the digest. A name that already ends with its digest is used as it is. */
  readonly file: string
  readonly stamp: Stamp
  readonly id: string
  readonly type: PictureType
  readonly width: number
  readonly height: number
  color: string | null
  readonly #findColor: FindColor | undefined
  #credit: PictureCredit

  constructor(kind: string, name: string, stamp: Stamp, info: PictureInfo, credit: PictureCredit, find?: FindColor) {
    this.kind = kind
    this.name = name
    this.stamp = stamp
    this.id = info.id
    this.type = info.type
    this.width = info.width
    this.height = info.height
    this.color = info.color ?? null
    this.#findColor = find
    const { stem, extension } = splitName(name)
    this.file = stem.endsWith(info.id) ? name : `${stem}-${info.id}.${extension}`
    this.#credit = credit
  }

  get size() {
    return this.stamp.size
  }

  credit() {
    return this.#credit
  }

  async complete(client?: string): Promise<PictureItem> {
    this.color ??= (await this.#findColor?.(this, client)) ?? null
    return this
  }

  setCredit(credit: PictureCredit) {
    this.#credit = credit
  }
}

interface Run {
  type: PictureType
  start: number
  count: number
}

/** Pictures sorted by type and name: the pictures of each type are one run, so picking by type needs no search. */
export class PictureIndex implements Collection<PictureItem> {
  readonly pictures: readonly Picture[]
  readonly #runs: Run[] = []

  /** `pictures` must be sorted with `compareByTypeAndName`. */
  constructor(pictures: readonly Picture[]) {
    this.pictures = pictures
    for (const [start, { type }] of pictures.entries()) {
      const last = this.#runs.at(-1)
      if (last?.type === type) last.count++
      else this.#runs.push({ type, start, count: 1 })
    }
  }

  get count() {
    return this.pictures.length
  }

  get types() {
    return new Map(this.#runs.map(({ type, count }) => [type, count]))
  }

  pick(options: PickOptions, random: Random): Picture | undefined {
    const runs = this.#selectRuns(options)
    return runs.length === 0 ? undefined : this.#at(runs, randomBelow(countAll(runs), random))
  }

  *items(options: PickOptions, random: Random): Generator<Picture, void> {
    const runs = this.#selectRuns(options)
    for (const index of shuffleIndexes(countAll(runs), random)) yield this.#at(runs, index)
  }

  #selectRuns({ types, exclude }: PickOptions): Run[] {
    if (!types && !exclude) return this.#runs
    return this.#runs.filter(({ type }) => (types?.includes(type) ?? true) && !exclude?.includes(type))
  }

  #at(runs: Run[], index: number): Picture {
    let rest = index
    for (const { start, count } of runs) {
      if (rest < count) return this.pictures[start + rest]!
      rest -= count
    }
    throw new RangeError(`no picture at ${index}`)
  }
}

const countAll = (runs: Run[]) => runs.reduce((sum, { count }) => sum + count, 0)

/** Compares code units, not by locale: a seed must pick the same picture on every machine. */
export function compareByTypeAndName(a: Picture, b: Picture): number {
  if (a.type !== b.type) return a.type < b.type ? -1 : 1
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}
