import { NothingMatches } from '../../errors/index.ts'
import { type Random, randomBelow } from './random.ts'
import type { Collection, PickOptions, PictureItem } from './types.ts'

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
