import { type AnimalKind, findKind } from '../src/index.ts'
import type { Choices, LookSource } from '../src/kind.ts'
import { chooseOption, hashSeed, type Weights } from '../src/random.ts'

/** By feature: the options that a drawing with, or without, a tag can have. */
type Conditions = ReadonlyMap<string, ReadonlySet<string>>

/** A tag that only few combinations of two options have is found with more looks. */
const LOOKS = 12
const MAX_EXAMPLES = 24
/** To find out which options always give a tag. */
const LOOKS_PER_OPTION = 6

/** By feature: options that `isFaulty` of a kind always refuses, so that no drawing has their tags. */
type Refused = Readonly<Record<string, readonly string[]>>

const refusedOptions: Readonly<Partial<Record<AnimalKind, Refused>>> = {
  alpaca: { headwear: ['beanie', 'cap', 'headphones'] },
  bird: { eyewear: ['shades'] },
}

/** Tells whether the drawing of a seed has the tags. */
export interface TagMatcher {
  /** Fast; false for nearly all seeds that do not match. Also false for a few that match. */
  mayMatch(seed: string): boolean
  matches(seed: string): boolean
}

/**
 * Finds the tags that drawings of a kind can have, and seeds whose drawings have given tags. Painting a picture takes
 * 50 times as long as choosing its look, and most seeds are ruled out by one or two choices of a look.
 */
export function createTagIndex({ name, features, chooseLook, listTags }: LookSource, refused: Refused = {}) {
  const [conditionsOf, conditionsWithout] = [new Map<string, Conditions>(), new Map<string, Conditions>()]
  let examples: ReadonlyMap<string, readonly Choices[]> | undefined

  /** A few looks for each tag: changes one choice at a time, because a random look rarely has a rare option. */
  function findExamples() {
    const found = new Map<string, Choices[]>()
    const add = (look: Choices, known: readonly string[]) => {
      for (const tag of listTags(look)) {
        if (known.includes(tag)) continue
        const looks = found.get(tag) ?? []
        if (looks.length < MAX_EXAMPLES) found.set(tag, [...looks, look])
      }
    }
    for (let i = 0; i < LOOKS; i++) {
      const look = chooseLook(String(i))
      const tags = listTags(look)
      add(look, [])
      for (const [feature, options] of features)
        for (const option of Object.keys(options))
          if (!refused[feature]?.includes(option)) add({ ...look, [feature]: option }, tags)
    }
    return found
  }
  const readExamples = () => {
    examples ??= findExamples()
    return examples
  }

  /** The features of which not all options are allowed. */
  function findConditions(isAllowed: (feature: string, option: string) => boolean): Conditions {
    const found = new Map<string, ReadonlySet<string>>()
    for (const [feature, options] of features) {
      const names = Object.keys(options)
      const allowed = names.filter((option) => isAllowed(feature, option))
      // None: the looks have the tag because of another feature.
      if (allowed.length > 0 && allowed.length < names.length) found.set(feature, new Set(allowed))
    }
    return found
  }

  const hasTag = (look: Choices, feature: string, option: string, tag: string) =>
    listTags({ ...look, [feature]: option }).includes(tag)

  function requireTag(tag: string): Conditions {
    const looks = readExamples().get(tag) ?? []
    return findConditions((feature, option) => looks.some((look) => hasTag(look, feature, option, tag)))
  }

  /** Excludes the options that always give the tag. */
  function excludeTag(tag: string): Conditions {
    const looks = Array.from({ length: LOOKS_PER_OPTION }, (_, i) => chooseLook(String(i)))
    return findConditions((feature, option) => !looks.every((look) => hasTag(look, feature, option, tag)))
  }

  return {
    list: (): string[] => [...readExamples().keys()].sort(),
    /** Undefined if no drawing has all `wanted` and none of the `unwanted` tags. */
    createMatcher(wanted: readonly string[], unwanted: readonly string[]): TagMatcher | undefined {
      if (unwanted.includes(name) || wanted.some((tag) => !readExamples().has(tag))) return undefined
      // Only for tags that exist, so that the number of remembered conditions is bounded.
      const excluded = unwanted.filter((tag) => readExamples().has(tag))
      const all = [
        ...wanted.map((tag) => remember(conditionsOf, tag, requireTag)),
        ...excluded.map((tag) => remember(conditionsWithout, tag, excludeTag)),
      ]
      const checks: Check[] = []
      for (const [feature, options] of features) {
        const [first, ...others] = all.flatMap((conditions) => conditions.get(feature) ?? [])
        if (!first) continue
        const allowed = new Set([...first].filter((option) => others.every((set) => set.has(option))))
        if (allowed.size === 0) return undefined
        checks.push({ feature, options, allowed })
      }
      checks.sort((a, b) => computeShare(a) - computeShare(b))
      return {
        mayMatch(seed) {
          const words = hashSeed(`${name}/${seed}`)
          return checks.every(({ feature, options, allowed }) => allowed.has(chooseOption(words, feature, options)))
        },
        matches(seed) {
          const tags = listTags(chooseLook(seed))
          return wanted.every((tag) => tags.includes(tag)) && !unwanted.some((tag) => tags.includes(tag))
        },
      }
    },
  }
}

interface Check {
  feature: string
  options: Weights
  allowed: ReadonlySet<string>
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

/** The share of seeds that pass. */
const computeShare = ({ options, allowed }: Check) =>
  sum([...allowed].map((option) => options[option]!)) / sum(Object.values(options))

function remember(known: Map<string, Conditions>, tag: string, find: (tag: string) => Conditions): Conditions {
  const found = known.get(tag) ?? find(tag)
  known.set(tag, found)
  return found
}

const indexes = new Map<AnimalKind, ReturnType<typeof createTagIndex>>()

function openIndex(kind: AnimalKind) {
  const index = indexes.get(kind) ?? createTagIndex(findKind(kind).looks, refusedOptions[kind])
  indexes.set(kind, index)
  return index
}

/** The tags that drawings of this kind can have, by name. */
export const listTags = (kind: AnimalKind): string[] => openIndex(kind).list()

/**
 * Tells whether the drawing of a seed has all `wanted` and none of the `unwanted` tags, much faster than `describe`.
 * Undefined if no drawing has these tags.
 */
export const createTagMatcher = (kind: AnimalKind, wanted: readonly string[], unwanted: readonly string[] = []) =>
  openIndex(kind).createMatcher(wanted, unwanted)
