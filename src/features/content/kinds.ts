import type { Problem } from './types.ts'

/** A category is a folder of CONTENT_DIR. Its built-in kinds are always there; an operator's file or folder adds one. */
const builtInKinds = {
  animals: ['cat', 'dog', 'fox', 'fish', 'alpaca', 'bird'],
  string: ['8ball'],
  kaomoji: ['cat', 'dog', 'owo', 'uwu', 'love'],
  'yt-video': ['hl-cats'],
} as const satisfies Record<string, readonly string[]>

export type Category = keyof typeof builtInKinds
export type ListCategory = Exclude<Category, 'animals'>

export const categories = Object.keys(builtInKinds) as Category[]
export const listCategories = categories.filter((category) => category !== 'animals')

const isBuiltIn = (category: Category, kind: string) => (builtInKinds[category] as readonly string[]).includes(kind)

/** A kind is a segment of a URL and stands in documents: plain words only, so that no two look alike. */
export const isKindName = (name: string) => /^[a-z0-9-]{1,64}$/.test(name)

export const misnamed = (file: string): Problem => ({
  file,
  rule: 'kind-name',
  message: 'The name of a kind is made of a-z, 0-9 and -, at most 64 of them.',
})

/** Built-in kinds in the interface's order, then the operator's by name. */
export function inOrder(category: Category, kinds: Iterable<string>): string[] {
  const own = [...kinds].filter((kind) => !isBuiltIn(category, kind)).sort()
  return [...builtInKinds[category], ...own]
}
