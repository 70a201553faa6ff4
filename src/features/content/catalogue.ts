import { NothingMatches, UnknownKind } from '../../errors/index.ts'
import { ANY_KIND, type Category, categories, type PictureType, sortKinds } from './kinds.ts'
import { createList } from './lists.ts'
import { createSeededRandom, type Random, randomBelow, shuffleIndexes } from './random.ts'
import type { Available, Collection, ItemOf, PickOptions, PictureItem, TextItem } from './types.ts'

export type KindSummary = ReturnType<typeof summarizeKind>

/**
 * All items at one moment. A change of the content makes a new catalogue, so that a pick is only a lookup. `find` returns
 * the kinds that have items. Built-in kinds exist without items, too.
 */
export function createCatalogue(find: (category: Category) => ReadonlyMap<string, Collection>, random: Random) {
  const collections = new Map(
    categories.map((category): [Category, ReadonlyMap<string, Collection>] => {
      const found = find(category)
      const kinds = sortKinds(category, found.keys())
      return [category, new Map(kinds.map((kind) => [kind, found.get(kind) ?? createList([])]))]
    }),
  )
  /** All kinds of a category, in equal shares. */
  const anyKind = new Map([...collections].map(([category, kinds]) => [category, mixCollections([...kinds.values()])]))

  function findCollection(category: Category, kind: string, { acceptsAny }: PickOptions): Collection {
    const kinds = collections.get(category)!
    const collection = kinds.get(kind)
    if (collection) return collection
    if (acceptsAny && kind === ANY_KIND) return anyKind.get(category)!
    throw new UnknownKind('kind', kind, [...kinds.keys(), ...(acceptsAny ? [ANY_KIND] : [])])
  }

  // Includes the kind: with one seed for a page of all kinds, the animals should not all have the same coat.
  const randomFor = (category: Category, kind: string, { seed }: PickOptions): Random =>
    seed === undefined ? random : createSeededRandom(`${category}/${kind}/${seed}`)

  return {
    kinds: (category: Category): string[] => [...collections.get(category)!.keys()],

    pick<C extends Category>(category: C, kind: string, options: PickOptions): ItemOf<C> {
      const collection = findCollection(category, kind, options)
      const item = collection.pick(options, randomFor(category, kind, options))
      if (!item) throw new NothingMatches(describeAvailable(collection, options))
      return item as ItemOf<C>
    },

    /** No item repeats before all that match were picked. */
    pickMany<C extends Category>(category: C, kind: string, count: number, options: PickOptions): ItemOf<C>[] {
      const collection = findCollection(category, kind, options)
      const random = randomFor(category, kind, options)
      const found = [...collection.items(options, random).take(count)]
      if (found.length === 0) throw new NothingMatches(describeAvailable(collection, options))
      const items = [...found]
      while (items.length < count)
        for (const index of shuffleIndexes(found.length, random).take(count - items.length)) items.push(found[index]!)
      return items as ItemOf<C>[]
    },

    summarize(): Record<Category, KindSummary[]> {
      const entries = [...collections].map(([category, kinds]) => [category, [...kinds].map(summarizeKind)])
      return Object.fromEntries(entries)
    },
  }
}

const MAX_LISTED_TAGS = 200

/** The values that exist of each parameter, for a client whose request matched nothing. */
function describeAvailable(collection: Collection, { tags, orientation, avoid }: PickOptions) {
  const available = collection.available()
  return {
    available: available.types,
    ...(tags && { availableTags: available.tags.slice(0, MAX_LISTED_TAGS) }),
    hasMoreTags: available.tags.length > MAX_LISTED_TAGS,
    ...(orientation && { availableOrientations: available.orientations }),
    hasItems: available.types.length > 0 || avoid !== undefined,
  }
}

const summarizeKind = ([kind, collection]: [string, Collection]) => ({
  kind,
  count: collection.count,
  /** Drawings are generated for this kind; `count` is 0. */
  drawn: collection.isDrawn ?? false,
  types: Object.fromEntries(collection.types) as Partial<Record<PictureType, number>>,
})

/** Several collections, in equal shares however many items each has. */
export const mixCollections = <Item extends PictureItem | TextItem>(
  parts: readonly Collection<Item>[],
): Collection<Item> => ({
  get count() {
    return parts.reduce((sum, { count }) => sum + count, 0)
  },
  get types() {
    const sums = new Map<PictureType, number>()
    for (const { types } of parts) for (const [type, count] of types) sums.set(type, (sums.get(type) ?? 0) + count)
    return sums
  },
  pick(options, random) {
    const rest = [...parts]
    while (rest.length > 0) {
      const index = randomBelow(rest.length, random)
      const item = rest[index]!.pick(options, random)
      if (item) return item
      rest.splice(index, 1)
    }
    return undefined
  },
  *items(options, random) {
    const rest = parts.map((part) => part.items(options, random))
    while (rest.length > 0) {
      const index = randomBelow(rest.length, random)
      const { value, done } = rest[index]!.next()
      if (done) rest.splice(index, 1)
      else yield value
    }
  },
  available() {
    const all = parts.map((part) => part.available())
    const union = <T>(read: (part: Available) => readonly T[]) => [...new Set(all.flatMap(read))]
    return {
      types: union(({ types }) => types),
      tags: union(({ tags }) => tags),
      orientations: union(({ orientations }) => orientations),
    }
  },
})
