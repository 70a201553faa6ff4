import type { PictureType } from './kinds.ts'
import { type Random, randomBelow } from './random.ts'
import type { Available, Collection, PickOptions, PictureItem, TextItem } from './types.ts'

/** Several collections, in equal shares however many items each has. */
export class MixedCollection<Item extends PictureItem | TextItem = PictureItem | TextItem> implements Collection<Item> {
  readonly parts: readonly Collection<Item>[]

  constructor(parts: readonly Collection<Item>[]) {
    this.parts = parts
  }

  get count() {
    return this.parts.reduce((sum, { count }) => sum + count, 0)
  }

  get types() {
    const sums = new Map<PictureType, number>()
    for (const { types } of this.parts) for (const [type, count] of types) sums.set(type, (sums.get(type) ?? 0) + count)
    return sums
  }

  pick(options: PickOptions, random: Random): Item | undefined {
    const rest = [...this.parts]
    while (rest.length > 0) {
      const index = randomBelow(rest.length, random)
      const item = rest[index]!.pick(options, random)
      if (item) return item
      rest.splice(index, 1)
    }
    return undefined
  }

  *items(options: PickOptions, random: Random): Generator<Item, void> {
    const rest = this.parts.map((part) => part.items(options, random))
    while (rest.length > 0) {
      const index = randomBelow(rest.length, random)
      const { value, done } = rest[index]!.next()
      if (done) rest.splice(index, 1)
      else yield value
    }
  }

  available(): Available {
    const parts = this.parts.map((part) => part.available())
    const union = <T>(read: (part: Available) => readonly T[]) => [...new Set(parts.flatMap(read))]
    return {
      types: union(({ types }) => types),
      tags: union(({ tags }) => tags),
      orientations: union(({ orientations }) => orientations),
    }
  }
}
