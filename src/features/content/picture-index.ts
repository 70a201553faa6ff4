import type { Stamp } from '../../platform/files/index.ts'
import type { PictureCredit } from './credits.ts'
import { type PictureType, splitName } from './kinds.ts'
import { type Random, randomBelow, shuffleIndexes } from './random.ts'
import type { Available, Collection, Orientation, PickOptions, PictureItem } from './types.ts'
import { hasConditions, orientations } from './types.ts'

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

type Run = { type: PictureType; start: number; count: number }

/** Pictures sorted by type and name: the pictures of each type are one run, so picking by type needs no search. */
export class PictureIndex implements Collection<PictureItem> {
  readonly pictures: readonly Picture[]
  readonly #runs: Run[] = []
  #tags: TagLists | undefined

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
    if (hasConditions(options)) return this.items(options, random).next().value ?? undefined
    const runs = this.#selectRuns(options)
    return runs.length === 0 ? undefined : this.#at(runs, randomBelow(countAll(runs), random))
  }

  *items(options: PickOptions, random: Random): Generator<Picture, void> {
    const runs = this.#selectRuns(options)
    if (!hasConditions(options)) {
      for (const index of shuffleIndexes(countAll(runs), random)) yield this.#at(runs, index)
      return
    }
    // The rarest wanted tag leaves fewest pictures to check.
    const { byTag } = this.#readTags()
    const [rarest] = (options.tags?.wanted ?? [])
      .map((tag) => byTag.get(tag) ?? NO_PICTURES)
      .sort((a, b) => a.length - b.length)
    const size = rarest?.length ?? countAll(runs)
    const at = (index: number) => (rarest ? this.pictures[rarest[index]!]! : this.#at(runs, index))
    const chosen = new Set<Picture>()
    let misses = 0
    for (const index of shuffleIndexes(size, random)) {
      const picture = at(index)
      if (matches(picture, options)) {
        chosen.add(picture)
        yield picture
      } else if (++misses > MAX_MISSES) {
        const rest = this.#findAll(options, rarest).filter((other) => !chosen.has(other))
        for (const i of shuffleIndexes(rest.length, random)) yield rest[i]!
        return
      }
    }
  }

  /** All pictures that match. Reads the lists of tags: comparing 20 tags with those of 100,000 pictures takes 100 ms. */
  #findAll({ tags, ...others }: PickOptions, indexes: Iterable<number> = this.pictures.keys()): Picture[] {
    const { byTag } = this.#readTags()
    const found = new Uint8Array(this.pictures.length)
    const wanted = new Set(tags?.wanted)
    for (const tag of wanted) for (const index of byTag.get(tag) ?? NO_PICTURES) found[index]!++
    for (const tag of new Set(tags?.unwanted))
      for (const index of byTag.get(tag) ?? NO_PICTURES) found[index] = UNWANTED
    const all: Picture[] = []
    for (const index of indexes) {
      const picture = this.pictures[index]!
      if (found[index] === wanted.size && matches(picture, others)) all.push(picture)
    }
    return all
  }

  available(): Available {
    const { byTag, orientations } = this.#readTags()
    const tags = [...byTag].sort(([, a], [, b]) => b.length - a.length).map(([tag]) => tag)
    return { types: this.#runs.map(({ type }) => type), tags, orientations }
  }

  /** Call it after the credits of pictures changed. */
  forgetTags(): void {
    this.#tags = undefined
  }

  /** 4 bytes for each tag of each picture. Built when a request needs it: credits change picture by picture. */
  #readTags(): TagLists {
    this.#tags ??= listByTag(this.pictures)
    return this.#tags
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

interface TagLists {
  /** Indexes of pictures. */
  readonly byTag: ReadonlyMap<string, Uint32Array>
  readonly orientations: readonly Orientation[]
}

const NO_PICTURES = new Uint32Array()

function listByTag(pictures: readonly Picture[]): TagLists {
  const lists = new Map<string, number[]>()
  const found = new Set<Orientation>()
  for (const [index, picture] of pictures.entries()) {
    found.add(orientationOf(picture))
    for (const tag of new Set(picture.credit().tags)) {
      const list = lists.get(tag)
      if (list) list.push(index)
      else lists.set(tag, [index])
    }
  }
  const byTag = new Map([...lists].map(([tag, indexes]) => [tag, Uint32Array.from(indexes)]))
  return { byTag, orientations: orientations.filter((orientation) => found.has(orientation)) }
}

const orientationOf = ({ width, height }: Picture): Orientation =>
  width > height ? 'landscape' : width < height ? 'portrait' : 'square'

function matches(picture: Picture, { types, exclude, tags, orientation, avoid }: PickOptions): boolean {
  if (avoid?.has(picture.id) || (orientation && orientationOf(picture) !== orientation)) return false
  if (!(types?.includes(picture.type) ?? true) || exclude?.includes(picture.type)) return false
  if (!tags) return true
  const own = picture.credit().tags
  return tags.wanted.every((tag) => own.includes(tag)) && !tags.unwanted.some((tag) => own.includes(tag))
}

/** After this many misses, checking all pictures takes less time than guessing. */
const MAX_MISSES = 200
/** More than the number of wanted tags. */
const UNWANTED = 255

const countAll = (runs: Run[]) => runs.reduce((sum, { count }) => sum + count, 0)

/** Compares code units, not by locale: a seed must pick the same picture on every machine. */
export function compareByTypeAndName(a: Picture, b: Picture): number {
  if (a.type !== b.type) return a.type < b.type ? -1 : 1
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}
