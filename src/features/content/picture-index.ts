import { NothingMatches } from '../../errors/index.ts'
import type { Stamp } from '../../platform/files/index.ts'
import type { PictureCredit } from './credits.ts'
import { type PictureType, splitName } from './kinds.ts'
import { chooseIndexes, type Random, randomBelow } from './random.ts'
import type { Collection, PickOptions, PictureItem } from './types.ts'

export interface PictureInfo {
  /** The first 12 hex digits of the SHA-256 of the bytes. */
  id: string
  type: PictureType
  width: number
  height: number
}

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
  #credit: PictureCredit

  constructor(kind: string, name: string, stamp: Stamp, info: PictureInfo, credit: PictureCredit) {
    this.kind = kind
    this.name = name
    this.stamp = stamp
    this.id = info.id
    this.type = info.type
    this.width = info.width
    this.height = info.height
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

  pick(options: PickOptions, random: Random) {
    const runs = this.#selectRuns(options)
    return this.#at(runs, randomBelow(countAll(runs), random))
  }

  pickMany(count: number, options: PickOptions, random: Random) {
    const runs = this.#selectRuns(options)
    return chooseIndexes(count, countAll(runs), random).map((index) => this.#at(runs, index))
  }

  #selectRuns({ types, exclude }: PickOptions): Run[] {
    const runs =
      types || exclude
        ? this.#runs.filter(({ type }) => (types?.includes(type) ?? true) && !exclude?.includes(type))
        : this.#runs
    if (runs.length === 0) throw new NothingMatches(this.#runs.map(({ type }) => type))
    return runs
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

/** Only the pictures if there are no drawings. */
export const mixPictures = (pictures: Collection<PictureItem>, drawings: Collection<PictureItem> | undefined) =>
  drawings ? new MixedPictures(pictures, drawings) : pictures

/** Pictures and drawings of one kind, in equal shares however many pictures there are. */
class MixedPictures implements Collection<PictureItem> {
  readonly #pictures: Collection<PictureItem>
  readonly #drawings: Collection<PictureItem>

  constructor(pictures: Collection<PictureItem>, drawings: Collection<PictureItem>) {
    this.#pictures = pictures
    this.#drawings = drawings
  }

  get count() {
    return this.#pictures.count
  }

  get types() {
    return this.#pictures.types
  }

  pick(options: PickOptions, random: Random): PictureItem {
    return this.pickMany(1, options, random)[0]!
  }

  pickMany(count: number, options: PickOptions, random: Random): PictureItem[] {
    const isPicture = Array.from({ length: count }, () => randomBelow(2, random) === 0)
    const wanted = Math.min(isPicture.filter(Boolean).length, this.count)
    try {
      const pictures = wanted === 0 ? [] : this.#pictures.pickMany(wanted, options, random)
      const drawings = wanted === count ? [] : this.#drawings.pickMany(count - wanted, options, random)
      return isPicture.map((is) => (is ? (pictures.pop() ?? drawings.pop()) : drawings.pop())!)
    } catch (error) {
      // The wanted types may exist as pictures only, or as drawings only.
      if (!(error instanceof NothingMatches)) throw error
      return pickFromFirst([this.#pictures, this.#drawings], (collection) =>
        collection.pickMany(count, options, random),
      )
    }
  }
}

function pickFromFirst<T>(
  [first, second]: readonly [Collection<PictureItem>, Collection<PictureItem>],
  pick: (from: Collection<PictureItem>) => T,
): T {
  try {
    return pick(first)
  } catch (error) {
    if (!(error instanceof NothingMatches)) throw error
    return pick(second)
  }
}
