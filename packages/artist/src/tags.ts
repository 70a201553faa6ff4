import { chooseOption, hashSeed, type Weights } from './random.ts'

type Choices = Readonly<Record<string, string>>

interface TagSource {
  /** Precedes every seed. */
  readonly name: string
  /** All traits with their options. */
  readonly features: readonly (readonly [name: string, options: Weights])[]
  chooseLook(seed: string): Choices
  isFaulty(look: Choices): boolean
  listTags(look: Choices): readonly string[]
}

/** The options of a feature with which a drawing can have a tag. */
type Conditions = Map<string, Set<string>>

/** A tag that only few combinations of two options have is found with more looks. */
const LOOKS = 12
const MAX_EXAMPLES = 24

/**
 * Finds the tags that drawings of a kind can have, and seeds whose drawings have given tags. Painting a picture takes
 * 50 times as long as choosing its look, and most seeds are ruled out by one or two choices of a look.
 */
export function createTagIndex({ name, features, chooseLook, isFaulty, listTags }: TagSource) {
  const conditions = new Map<string, Conditions>()
  let examples: Map<string, Choices[]> | undefined

  /** A few looks for each tag: changes one choice at a time, because a random look rarely has a rare option. */
  function findExamples(): Map<string, Choices[]> {
    const found = new Map<string, Choices[]>()
    const add = (look: Choices, known: readonly string[]) => {
      if (isFaulty(look)) return
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
        for (const option of Object.keys(options)) add({ ...look, [feature]: option }, tags)
    }
    return found
  }
  const readExamples = () => {
    examples ??= findExamples()
    return examples
  }

  /** Undefined if no drawing has the tag. */
  function findConditions(tag: string): Conditions | undefined {
    const known = conditions.get(tag)
    const looks = readExamples().get(tag)
    if (known || !looks) return known
    const found: Conditions = new Map()
    for (const [feature, options] of features) {
      const names = Object.keys(options)
      const keepsTag = (option: string) => looks.some((look) => listTags({ ...look, [feature]: option }).includes(tag))
      const allowed = names.filter(keepsTag)
      if (allowed.length < names.length) found.set(feature, new Set(allowed))
    }
    conditions.set(tag, found)
    return found
  }

  return {
    list: (): string[] => [...readExamples().keys()].sort(),
    /**
     * Returns a function that tells whether the drawing of a seed has all `wanted` and none of the `unwanted` tags; it
     * may miss a few seeds. Undefined if no drawing has these tags.
     */
    createMatcher(wanted: readonly string[], unwanted: readonly string[]): ((seed: string) => boolean) | undefined {
      const all = wanted.map(findConditions)
      if (unwanted.includes(name) || all.includes(undefined)) return undefined
      const checks: (readonly [feature: string, options: Weights, allowed: Set<string>])[] = []
      for (const [feature, options] of features) {
        const sets = all.flatMap((each) => each?.get(feature) ?? [])
        const [first, ...others] = sets
        if (!first) continue
        const allowed = new Set([...first].filter((option) => others.every((set) => set.has(option))))
        if (allowed.size === 0) return undefined
        checks.push([feature, options, allowed])
      }
      const share = ([, options, allowed]: (typeof checks)[number]) =>
        [...allowed].reduce((sum, option) => sum + options[option]!, 0) /
        Object.values(options).reduce((sum, weight) => sum + weight, 0)
      checks.sort((a, b) => share(a) - share(b))
      return (seed) => {
        const words = hashSeed(`${name}/${seed}`)
        for (const [feature, options, allowed] of checks)
          if (!allowed.has(chooseOption(words, feature, options))) return false
        const tags = listTags(chooseLook(seed))
        return wanted.every((tag) => tags.includes(tag)) && !unwanted.some((tag) => tags.includes(tag))
      }
    },
  }
}
