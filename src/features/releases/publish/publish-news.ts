import { join } from 'node:path'
import { stringify } from 'yaml'
import { PublishError, UnknownEntryError, UsageError } from '../../../errors/index.ts'
import { type Change, type EditOptions, readRegularFile } from '../../../platform/files/index.ts'
import type { Problem } from '../../../platform/logging/index.ts'
import { failParsing } from '../../../platform/yaml/index.ts'
import { DEFAULT_LANGUAGE, parseLanguage } from '../languages.ts'
import { joinNews, type NewsFile } from '../news.ts'
import { markdownRule, type NewsSource, parseNews, parseNewsSource, renderMarkdown } from '../read/parse-news.ts'
import { listNewsFiles, MAX_NEWS_BYTES, NEWS_DIR } from '../read/read-files.ts'
import { imageRule, isImage, isNewsId, isWebUrl, languageRule, newsIdRule, urlRule } from '../read/rules.ts'
import { assertInput, editFiles, parseInputDate } from './edit-file.ts'

interface NewsOptions extends EditOptions {
  readonly dir: string
  readonly title: string
  readonly markdown: string
  /** Default: date and title. */
  readonly id?: string | undefined
  readonly lang?: string | undefined
  /** The time of publication. Default: now. A translation has the date of its item. */
  readonly at?: string | undefined
  readonly summary?: string | undefined
  readonly url?: string | undefined
  readonly image?: string | undefined
  /** The text is a translation of the item with this id. Default: the item exists, and `lang` is given. */
  readonly isTranslation?: boolean | undefined
  /** Replaces a published text. An item keeps its date and language where they are not given. */
  readonly replace?: boolean | undefined
}

export async function addNews(options: NewsOptions) {
  const { dir, title, markdown, at, summary, url, image, replace } = options
  const givenDate = at === undefined ? undefined : parseInputDate(at)
  const id = options.id ?? (await createId(givenDate ?? new Date().toISOString(), title))
  const givenLang = options.lang === undefined ? undefined : parseLanguage(options.lang)
  assertInput(isNewsId(id), 'The id', newsIdRule)
  assertInput(!url || isWebUrl(url), 'The URL', urlRule)
  assertInput(!image || isImage(image), 'The image', imageRule)
  assertInput(options.lang === undefined || givenLang !== undefined, 'The language', languageRule)
  assertInput(!options.isTranslation || givenLang !== undefined, 'A translation', 'must have a language')

  return editFiles(dir, options, async ({ read, write }) => {
    const { news } = await listNews(dir)
    const item = news.find((other) => other.id === id)
    const { isTranslation = item !== undefined && givenLang !== undefined } = options
    if (isTranslation && !item)
      throw new UnknownEntryError(`There is no news with the id "${id}" to translate. Publish it first.`)
    const existing = isTranslation
      ? [item!, ...item!.translations].find((other) => other.lang === givenLang)
      : (item ?? news.find((other) => other.file === `${NEWS_DIR}/${id}.md`))
    const language = isTranslation ? ` in the language "${givenLang}"` : ''
    const isReplaced = replace && existing !== undefined && isTranslation === (existing !== item)
    if (existing && !isReplaced)
      throw new PublishError(`${existing.file} already ${item ? `has the id "${id}"${language}` : 'exists'}.`)
    const file =
      existing?.file ?? (isTranslation ? item!.file.replace(/md$/, `${givenLang}.md`) : `${NEWS_DIR}/${id}.md`)
    // An invalid file is not in the list, but clients may still get its last good state.
    if (!existing && !replace && (await read(file)) !== null) throw new PublishError(`${file} already exists.`)

    const date = givenDate ?? item?.date ?? new Date().toISOString()
    const lang = givenLang ?? (item?.lang === DEFAULT_LANGUAGE ? undefined : item?.lang)
    // The file name is the id, unless the operator chose another one.
    const own = isTranslation ? {} : { id: file === `${NEWS_DIR}/${id}.md` ? undefined : id, date, lang }
    const links = { url: url || undefined, image: image || undefined }
    const frontMatter = { title, ...own, summary: summary || undefined, ...links }
    const text = `---\n${stringify(frontMatter, { lineWidth: 0 })}---\n\n${markdown.trim()}\n`
    const { value, problems } = parseNews(file, text)
    if (!value) throw new PublishError(`${problems[0]?.message}.`)
    const nameRule = `must not end like the name of a translation (".${value.lang}")`
    assertInput(isTranslation || value.original === undefined, 'The id', nameRule)
    const same = isTranslation ? undefined : item?.translations.find((other) => other.lang === value.lang)
    if (same) throw new PublishError(`${same.file} is already in the language "${value.lang}".`)
    await write(file, text)
    return { id, date: isTranslation ? item!.date : date, lang: value.lang, isTranslation }
  })
}

/** Returns sanitised HTML, as in the replies with news. */
export function previewMarkdown(markdown: string): string {
  assertInput(
    Buffer.byteLength(markdown) <= MAX_NEWS_BYTES,
    'The Markdown',
    `must have at most ${MAX_NEWS_BYTES} bytes`,
  )
  try {
    return renderMarkdown(markdown)
  } catch {
    throw new UsageError(`The Markdown ${markdownRule}.`)
  }
}

async function readNewsFiles(dir: string) {
  const files: NewsSource[] = []
  const problems: Problem[] = []
  for (const file of await listNewsFiles(dir)) {
    const parsed = await readRegularFile(join(dir, file)).then(
      (bytes) => parseNewsSource(file, bytes.toString()),
      ({ code }) => failParsing(file, 1, 'readable', `The file cannot be read (${code})`),
    )
    problems.push(...parsed.problems)
    if (parsed.value) files.push(parsed.value)
  }
  return { files, problems }
}

/** All news in the folder, newest first, including scheduled ones. */
export async function listNews(dir: string) {
  const read = await readNewsFiles(dir)
  const { items, problems } = joinNews(read.files.map(({ markdown: _, ...file }): NewsFile => file))
  return { news: items.sort((a, b) => (a.date < b.date ? 1 : -1)), problems: [...read.problems, ...problems] }
}

/** The source of a news item or, with `lang`, of one of its translations. */
export async function readNews(dir: string, id: string, lang?: string) {
  const { files } = await readNewsFiles(dir)
  const item = files.find((file) => file.original === undefined && file.id === id)
  const translations = files.filter(({ original }) => item !== undefined && original === item.file)
  const found = lang === undefined ? item : translations.find((file) => file.lang === parseLanguage(lang))
  if (!item || !found)
    throw new UnknownEntryError(`There is no news with the id "${id}"${lang ? ` in "${lang}"` : ''}.`)
  const { file, title, summary, url, image, markdown } = found
  const languages = translations.map((translation) => translation.lang)
  return { file, id, title, summary, url, image, markdown, date: item.date, lang: found.lang, translations: languages }
}

interface RemoveOptions extends EditOptions {
  /** Removes only this translation. Default: the item with all its translations. */
  readonly lang?: string | undefined
}

export const removeNews = (dir: string, id: string, { lang, ...options }: RemoveOptions = {}): Promise<Change> =>
  editFiles(dir, options, async ({ write }) => {
    const { files } = await readNewsFiles(dir)
    const [found, other] = files.filter((file) => file.original === undefined && file.id === id)
    if (!found) throw new UnknownEntryError(`There is no news with the id "${id}".`)
    if (other) throw new PublishError(`${found.file} and ${other.file} both have the id "${id}"; change one of them.`)
    const translations = files.filter(({ original }) => original === found.file)
    const wanted = translations.filter((translation) => translation.lang === parseLanguage(lang ?? ''))
    if (lang !== undefined && wanted.length === 0)
      throw new UnknownEntryError(`The news "${id}" has no translation "${lang}".`)
    // The item comes last: if the process stops in between, no translation is left without its item.
    for (const { file } of lang === undefined ? [...translations, found] : wanted) await write(file, null)
  })

/** "2026-12-01-a-new-launcher", also for titles in other scripts: "Привет" becomes "privet". */
async function createId(date: string, title: string): Promise<string> {
  // The table of all scripts has half a megabyte, which only this command needs.
  const { default: toAscii } = await import('any-ascii')
  const slug = toAscii(title)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return [date.slice(0, 10), slug.slice(0, 80).replace(/-+$/, '')].filter((part) => part !== '').join('-')
}
