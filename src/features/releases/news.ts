// News items with their translations.
import type { Problem } from '../../platform/logging/index.ts'
import { chooseLanguage, indexLanguages } from './languages.ts'

/** The formats of the news feed: the values of `?format=`. */
export const feedFormats = ['json-feed', 'atom', 'rss'] as const
export type FeedFormat = (typeof feedFormats)[number]
/** Feed readers expect recent entries only; the JSON reply contains all news. */
export const MAX_FEED_ENTRIES = 50

/** What one file of the folder says about an item, without its text. */
export interface NewsFile {
  readonly id: string
  readonly title: string
  /** ISO 8601, UTC. */
  readonly date: string
  readonly summary?: string
  /** The page of this item, if the operator gave one. */
  readonly url?: string
  /** An absolute URL, or a path of the service such as /media/animals/fox/~b.png */
  readonly image?: string
  readonly lang: string
  /** Relative to the folder. */
  readonly file: string
  /** The file that this one translates. Its id and date count. */
  readonly original?: string
}

export interface NewsText extends NewsFile {
  readonly summary: string
  readonly html: string
}

type Translated<T extends NewsFile> = T & { readonly translations: readonly T[] }
export type NewsItem = Translated<NewsText>

/**
 * Joins the files of each item. `owners` maps ids to files and is updated: if two files have the same id, the file that
 * had it before keeps it. A translation without its original is not served: it has no date.
 */
export function joinNews<T extends NewsFile>(files: readonly T[], owners = new Map<string, string>()) {
  const items = new Map<string, T>()
  const problems: Problem[] = []
  const report = (file: string, rule: string, message: string) => problems.push({ file, line: 1, rule, message })
  const sorted = files.toSorted((a, b) => (a.file < b.file ? -1 : 1))
  const groups = Map.groupBy(sorted, ({ original }) => original)

  for (const item of groups.get(undefined) ?? []) {
    const { id, file } = item
    const other = items.get(id)
    if (!other || owners.get(id) === file) items.set(id, item)
    if (other) report(file, 'id-once', `${other.file} and ${file} have the same id "${id}"; change one of them`)
  }
  owners.clear()
  for (const { id, file } of items.values()) owners.set(id, file)

  const joined = [...items.values()].map((item): Translated<T> => {
    const { id, date, url, image } = item
    const byLanguage = new Map([[item.lang, item]])
    for (const translation of groups.get(item.file) ?? []) {
      const { lang, file } = translation
      const other = byLanguage.get(lang)
      if (!other) byLanguage.set(lang, { url, image, ...translation, id, date })
      else report(file, 'language-once', `${other.file} and ${file} are both in the language "${lang}"; change one`)
    }
    return { ...item, translations: [...byLanguage.values()].slice(1) }
  })
  for (const { file } of groups.get(undefined) ?? []) groups.delete(file)
  groups.delete(undefined)
  for (const [original, orphans] of groups) {
    const message = `The name says that it is a translation, but there is no valid ${original}; create it, or rename this file`
    for (const { file } of orphans) report(file, 'original', message)
  }
  return { items: joined, problems }
}

export const listLanguages = (item: Translated<NewsFile>) => [item, ...item.translations].map(({ lang }) => lang)

/** The item in the language, or in that of the original. */
export function translate(item: NewsItem, language: string | undefined): NewsText {
  if (language === undefined || item.translations.length === 0) return item
  const found = chooseLanguage(indexLanguages(listLanguages(item)), [language])
  return item.translations.find(({ lang }) => lang === found) ?? item
}
