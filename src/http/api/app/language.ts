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

type LanguageContext = RequestContext<unknown, { lang: string | undefined }>

/** Returns the available language that a client prefers; undefined means the originals. */
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

  return ({ query, request }: LanguageContext, available: LanguageIndex): string | undefined => {
    if (query.lang !== undefined) return chooseLanguage(available, [query.lang])
    const header = request.headers['accept-language']
    // A single language: nothing is translated.
    return header === undefined || available.size <= 1 ? undefined : chooseLanguage(available, readPreferences(header))
  }
}
