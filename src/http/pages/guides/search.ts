// The search over guides, endpoints and error codes. A few hundred entries: a search takes less than a millisecond.

import { filters } from '../../../features/filters/index.ts'
import { type ApiDocument, resolveReference } from '../../kernel/openapi.ts'
import type { Operation, Parameter } from '../../kernel/openapi-components.ts'
import type { ErrorDefinition } from '../../kernel/route.ts'
import type { Guide } from './guide.ts'

export interface SearchEntry {
  readonly type: 'Guide' | 'Endpoint' | 'Error'
  readonly title: string
  readonly text: string
  /** Relative to `/docs/`. */
  readonly href: string
}

const MAX_WORDS = 8
const MAX_RESULTS = 20
const SNIPPET_LENGTH = 160

export const listEntries = (
  guides: readonly Guide[],
  document: ApiDocument,
  errors: readonly Pick<ErrorDefinition, 'code' | 'summary'>[],
): SearchEntry[] => [
  ...guides.flatMap(({ name, title, description, sections }): SearchEntry[] => [
    { type: 'Guide', title, text: description, href: `guides/${name}` },
    ...sections.map(
      (section): SearchEntry => ({
        type: 'Guide',
        title: `${title}: ${section.title}`,
        text: section.text,
        href: `guides/${name}#${section.id}`,
      }),
    ),
  ]),
  ...Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== 'head')
      .map(([method, operation]) => {
        const parameters = operation.parameters.map((parameter) => resolveReference(document, parameter))
        return describeOperation(method, path, operation, parameters)
      }),
  ),
  ...filters.map(
    ({ name, summary, strength }): SearchEntry => ({
      type: 'Guide',
      title: `Filter ${name}`,
      text: strength
        ? `${summary} Strength: ${strength.min} to ${strength.max}, default: ${strength.default}.`
        : summary,
      href: 'guides/filters#all-filters',
    }),
  ),
  ...errors.map(
    ({ code, summary }): SearchEntry => ({
      type: 'Error',
      title: code,
      text: summary,
      href: 'guides/errors#all-codes',
    }),
  ),
]

function describeOperation(
  method: string,
  path: string,
  { summary, description, tags }: Operation,
  parameters: readonly Parameter[],
): SearchEntry {
  const parts = [
    description,
    ...parameters.map((parameter) => `${parameter.name}: ${parameter.description ?? ''}`),
    tags[0],
  ]
  return {
    type: 'Endpoint',
    title: `${summary}: ${method.toUpperCase()} ${path}`,
    text: parts.join(' ').replace(/[`*]/g, ''),
    href: `../docs#${toScalarAnchor(tags[0] ?? '', method, path)}`,
  }
}

/** The anchor that Scalar gives an operation. */
const toScalarAnchor = (tag: string, method: string, path: string) =>
  `tag/${tag.toLowerCase().replace(/[^a-z0-9]+/g, '-')}/${method.toUpperCase()}${path}`

export interface SearchResult extends SearchEntry {
  readonly snippet: string
}

export const splitQuery = (query: string): string[] =>
  (query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).slice(0, MAX_WORDS)

/** Entries that contain all words, best first: words in the title count most, then those that start a word. */
export function search(entries: readonly SearchEntry[], words: readonly string[]): SearchResult[] {
  if (words.length === 0) return []
  return entries
    .map((entry) => ({ entry, score: rate(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_RESULTS)
    .map(({ entry }) => ({ ...entry, snippet: cutSnippet(entry.text, words) }))
}

function rate({ title, text }: SearchEntry, words: readonly string[]): number {
  const [lowerTitle, lowerText] = [title.toLowerCase(), text.toLowerCase()]
  let score = 0
  for (const word of words) {
    const points = 8 * ratePart(lowerTitle, word) + ratePart(lowerText, word)
    if (points === 0) return 0
    score += points
  }
  return score
}

function ratePart(text: string, word: string): number {
  const at = text.indexOf(word)
  if (at < 0) return 0
  return at === 0 || /[^\p{L}\p{N}]/u.test(text[at - 1] ?? '') ? 2 : 1
}

function cutSnippet(text: string, words: readonly string[]): string {
  const found = words.map((word) => text.toLowerCase().indexOf(word)).filter((at) => at >= 0)
  const start = Math.max(0, Math.min(...(found.length > 0 ? found : [0])) - SNIPPET_LENGTH / 4)
  const from = start === 0 ? 0 : text.indexOf(' ', start) + 1
  const cut = text.slice(from, from + SNIPPET_LENGTH)
  if (from + SNIPPET_LENGTH >= text.length) return `${from > 0 ? '… ' : ''}${cut}`
  return `${from > 0 ? '… ' : ''}${cut.slice(0, Math.max(cut.lastIndexOf(' '), SNIPPET_LENGTH / 2))} …`
}
