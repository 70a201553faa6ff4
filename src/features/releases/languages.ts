// Language tags such as "de" or "pt-BR" (BCP 47), and the choice of the language that suits a client.
import { basename } from 'node:path'
import type { Release } from './release.ts'

/** The language of news and release notes that do not name theirs. */
export const DEFAULT_LANGUAGE = 'en'

export const languagePattern = '^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$'
const languageFormat = new RegExp(languagePattern)

/** The usual spelling of a tag: "pt-br" becomes "pt-BR". Undefined: the text is not a tag. */
export function parseLanguage(text: string): string | undefined {
  if (!languageFormat.test(text)) return undefined
  try {
    return Intl.getCanonicalLocales(text)[0]
  } catch {
    return undefined
  }
}

/** "welcome.de.md" is the German translation of "welcome.md". In "notes.txt", "txt" is no language. */
export function parseTranslationName(file: string): { name: string; lang?: string } {
  const name = basename(file).replace(/\.(?:md|markdown|txt)$/i, '')
  const [, original = name, suffix = ''] = /^(.+)\.([^.]+)$/.exec(name) ?? []
  const lang = parseLanguage(suffix)
  return lang === undefined ? { name } : { name: original, lang }
}

/** The available languages by their tags in lower case. */
export type LanguageIndex = ReadonlyMap<string, string>

export function indexLanguages(languages: Iterable<string>): LanguageIndex {
  const tags = [...new Set(languages)].sort()
  const index = new Map(tags.map((tag) => [tag.toLowerCase(), tag]))
  // Readers of "pt" prefer "pt-BR" to another language.
  for (const tag of tags) {
    const primary = tag.split('-', 1)[0]!.toLowerCase()
    if (!index.has(primary)) index.set(primary, tag)
  }
  return index
}

/** Finds "zh-Hant-TW", then "zh-Hant", then "zh". */
function findLanguage(index: LanguageIndex, wanted: string): string | undefined {
  for (let tag = wanted.toLowerCase(); tag !== ''; tag = tag.slice(0, Math.max(0, tag.lastIndexOf('-')))) {
    const found = index.get(tag)
    if (found) return found
  }
  return undefined
}

/** The available language for the first preference that has one. */
export function chooseLanguage(index: LanguageIndex, preferences: readonly string[]): string | undefined {
  for (const wanted of preferences) {
    const found = findLanguage(index, wanted)
    if (found) return found
  }
  return undefined
}

type WithNotes = Pick<Release, 'notes' | 'notesByLanguage'>

const translations = new WeakMap<WithNotes, Map<string, WithNotes>>()

/**
 * The release with its notes in the language, if they are translated. `language` is one that is available somewhere. The
 * same release and language give the same object, so that what is computed from it can be cached.
 */
export function translateNotes<T extends WithNotes>(release: T, language: string | undefined): T {
  const { notes, notesByLanguage } = release
  if (language === undefined || notesByLanguage === undefined) return release
  const byLanguage = translations.get(release) ?? new Map<string, WithNotes>()
  translations.set(release, byLanguage)
  const cached = byLanguage.get(language)
  if (cached) return cached as T
  const found = chooseLanguage(indexLanguages(Object.keys(notesByLanguage)), [language])
  const translated = { ...release, notes: notesByLanguage[found ?? ''] ?? notes }
  byLanguage.set(language, translated)
  return translated
}
