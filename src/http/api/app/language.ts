// The language of news and release notes.
import { LRUCache } from 'lru-cache'
import Type from 'typebox'
import { chooseLanguage, type LanguageIndex, languagePattern } from '../../../features/releases/index.ts'
import { parseAcceptLanguage } from '../../kernel/negotiate.ts'
import type { RequestContext } from '../../kernel/request-context.ts'

const MAX_CACHED_HEADERS = 500
/** Browsers send less. */
const MAX_CACHED_LENGTH = 100

export const lang = Type.String({
  pattern: languagePattern,
  rule: 'a language tag such as de or pt-BR',
  description: 'Language tag (BCP 47). Overrides the header `Accept-Language`. Default: the language of the original.',
  examples: ['de'],
})

export const languageHeader = {
  'Accept-Language': Type.String({ description: 'Preferred languages. Each text falls back to its original.' }),
}

interface Negotiated {
  /** Undefined: the originals. */
  readonly language: string | undefined
  readonly vary: readonly string[]
}

const ORIGINALS: Negotiated = { language: undefined, vary: [] }
const VARY_BY_LANGUAGE = ['Vary', 'Accept-Language']

/** Chooses among the available languages by `lang` or `Accept-Language`. */
export function createLanguageNegotiator() {
  // Parsing takes as long as a tenth of a request, and most clients of a region send the same header.
  const parsedHeaders = new LRUCache<string, readonly string[]>({ max: MAX_CACHED_HEADERS })

  const readPreferences = (header: string) => {
    const cached = parsedHeaders.get(header)
    if (cached) return cached
    const preferences = parseAcceptLanguage(header)
    if (header.length <= MAX_CACHED_LENGTH) parsedHeaders.set(header, preferences)
    return preferences
  }

  return ({ query, request }: RequestContext, available: LanguageIndex | undefined): Negotiated => {
    // Nothing is translated.
    if (available === undefined || available.size <= 1) return ORIGINALS
    const { lang } = query as { lang?: string }
    if (lang !== undefined) return { language: chooseLanguage(available, [lang]), vary: [] }
    const preferences = readPreferences(request.headers['accept-language'] ?? '')
    return { language: chooseLanguage(available, preferences), vary: VARY_BY_LANGUAGE }
  }
}
