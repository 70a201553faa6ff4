import { basename } from 'node:path'
import { OperatorError, UsageError } from '../../errors/index.ts'
import type { NewsDraft, parseNewsDraft } from '../../features/releases/index.ts'
import { defineCommand } from '../command.ts'
import { defineChange, formatPublicFrom, readText, stateColours } from '../publish-options.ts'
import { printableLines } from '../text.ts'
import { formatLocation, prefixAppFolder } from '../with-services.ts'

const publishedId = { name: 'id', help: 'Id of the news item. "news list" shows it.', completes: 'news' } as const

export const newsAdd = defineChange({
  name: 'news add',
  summary: 'Publishes a news item from a file or from --text.',
  arguments: [
    {
      name: 'file',
      optional: true,
      completes: 'files',
      help: 'Markdown file. It may start with front matter: title, date, id, summary, url, image and lang.',
    },
  ],
  options: {
    title: {
      value: 'text',
      help: 'Title. Default: title in the front matter, or the heading (# …) with which the text starts.',
    },
    text: { value: 'markdown', help: 'Text of the news item, instead of a file.' },
    id: {
      value: 'id',
      help:
        'Id. Default: id in the front matter; then the file name, if the file has front matter and its name is a valid id; ' +
        'otherwise date and title.',
    },
    summary: { value: 'text', help: 'One sentence for lists. Default: the first paragraph.' },
    url: { value: 'URL', help: 'URL of the full text.' },
    image: { value: 'URL', help: 'URL of a picture, or a picture of this service such as /media/animals/fox/~b.png.' },
    lang: {
      value: 'tag',
      help:
        'Language, such as de or pt-BR. With the id of a published item, the text is added as its translation. ' +
        'Default: lang in the front matter, or the file name (welcome.de.md); otherwise en.',
    },
    at: {
      value: 'time',
      help: 'Publication time, such as 2026-12-01T10:00Z. Default: date in the front matter, or now.',
    },
  },
  examples: [
    'news add launcher-2.1.md',
    'news add launcher-2.1.de.md',
    'news add --title "Servers are back" --text "All servers work again."',
  ],
  change: async ({ service, args: { file }, options: { text, ...given } }, dryRun) => {
    const { parseNewsDraft, parseTranslationName } = await import('../../features/releases/index.ts')
    const draft = takeHeading(await readDraft(parseNewsDraft, file, text), given.title)
    const { title = draft.title, id = draft.id, at = draft.date, lang = draft.lang } = given
    const { summary = draft.summary, url = draft.url, image = draft.image } = given
    if (title === undefined)
      throw new UsageError(
        'A news item needs a title. Use --title, or start the text with a heading such as "# Title".',
      )
    // The file name says that it is a translation, also where the original is missing.
    const isTranslation = (file && parseTranslationName(file).lang !== undefined) || undefined
    const input = { title, markdown: draft.markdown, id, at, lang, summary, url, image, isTranslation }
    const added = await service.apply('news add', input, dryRun)
    const what = added.isTranslation ? `translation "${added.lang}" of the news` : 'news'
    return [`Added the ${what} "${added.id}"${formatPublicFrom(added.date)}.`, added]
  },
})

async function readDraft(parse: typeof parseNewsDraft, file?: string, text?: string): Promise<NewsDraft> {
  if (file === undefined && text !== undefined) return { markdown: text }
  if (file === undefined || text !== undefined) throw new UsageError('Use either a file or --text.')
  const { value, problems } = parse(basename(file), await readText(file))
  if (!value) throw new OperatorError(`${file}, line ${problems[0]?.line}: ${problems[0]?.message}.`)
  return value
}

/** The heading with which a text starts is its title, unless there is another one. */
function takeHeading(draft: NewsDraft, givenTitle: string | undefined): NewsDraft {
  const [heading, title] = /^\s*#[ \t]+(\S.*?)[ \t]*\r?(?:\n\s*|$)/.exec(draft.markdown) ?? []
  if (heading === undefined || title === undefined || draft.title !== undefined || givenTitle !== undefined)
    return draft
  return { ...draft, title, markdown: draft.markdown.slice(heading.length) }
}

export const newsList = defineCommand({
  name: 'news list',
  summary: 'Lists all news items, newest first. Includes scheduled items.',
  settings: ['CONTENT_DIR'],
  examples: ['news list'],
  run: async ({ service, note, format }) => {
    const { listLanguages } = await import('../../features/releases/index.ts')
    const found = await service.listNews()
    const items = found.news.map((item) => ({ ...item, translations: prefixAppFolder(item.translations) }))
    const [news, problems] = [prefixAppFolder(items), prefixAppFolder(found.problems)]
    for (const problem of problems) note(`${formatLocation(problem)}: ${problem.message}.`)
    const rows = news.map((item) => {
      const { id, title, date } = item
      const state = Date.parse(date) > Date.now() ? 'scheduled' : 'public'
      return { id, date: format.time(date), state, languages: listLanguages(item).join(', '), title }
    })
    return { text: format.table(rows, 'There is no news.', stateColours), value: { news, problems } }
  },
})

export const newsRemove = defineChange({
  name: 'news remove',
  summary: 'Removes a news item, or one of its translations.',
  arguments: [publishedId],
  options: { lang: { value: 'tag', help: 'Removes only the translation in this language, such as de.' } },
  examples: ['news remove 2026-12-01-servers-are-back'],
  change: async ({ service, args: { id }, options: { lang } }, dryRun) => {
    const change =
      lang === undefined
        ? await service.apply('news remove', { id }, dryRun)
        : await service.apply('news remove translation', { id, lang }, dryRun)
    const what = lang === undefined ? 'news' : `translation "${lang}" of the news`
    return [`Removed the ${what} "${id}".`, { id, ...change }]
  },
})

const langOption = { value: 'tag', help: 'Language of a translation, such as de. Default: the original.' } as const

export const newsShow = defineCommand({
  name: 'news show',
  summary: 'Shows the Markdown source of a news item or of a translation.',
  settings: ['CONTENT_DIR'],
  arguments: [publishedId],
  options: { lang: langOption },
  examples: ['news show launcher-2.1', 'news show launcher-2.1 --lang de'],
  run: async ({ service, args: { id }, options: { lang }, format }) => {
    const news = await service.readNews(id, lang)
    const { title, date, summary, url, image, markdown, translations } = news
    const fields = format.fields({
      ...{ title, date: format.exactTime(date), lang: news.lang },
      translations: translations.join(', ') || undefined,
      ...{ summary, url, image },
    })
    return { text: `${fields}\n\n${printableLines(markdown.trim())}`, value: { news } }
  },
})

export const newsEdit = defineChange({
  name: 'news edit',
  summary: 'Changes a news item or a translation. Other fields stay as they are.',
  arguments: [
    publishedId,
    { name: 'file', optional: true, completes: 'files', help: 'Markdown file with the new text.' },
  ],
  options: {
    title: { value: 'text', help: 'New title. A heading (# …) with which the new text starts is the title, too.' },
    text: { value: 'markdown', help: 'New text, instead of a file.' },
    summary: { value: 'text', help: 'New summary.' },
    url: { value: 'URL', help: 'New URL of the full text.' },
    image: { value: 'URL', help: 'New URL of a picture.' },
    at: { value: 'time', help: 'New publication time. Default: date in the front matter of the file.' },
    lang: {
      ...langOption,
      help: 'Language of a translation, such as de. Default: that in the file name (welcome.de.md), or the original.',
    },
  },
  examples: ['news edit launcher-2.1 --title "Launcher 2.1 is out"', 'news edit launcher-2.1 launcher-2.1.md'],
  change: async ({ service, args: { id, file }, options: { text, lang: givenLang, ...given } }, dryRun) => {
    if (file === undefined && text === undefined && Object.values(given).every((value) => value === undefined))
      throw new UsageError('Use a file or at least one option.')
    const { parseNewsDraft, parseTranslationName } = await import('../../features/releases/index.ts')
    const lang = givenLang ?? (file && parseTranslationName(file).lang)
    if (lang !== undefined && given.at !== undefined)
      throw new UsageError('Use either --at or --lang: a translation has the publication time of its original.')
    const current = await service.readNews(id, lang)
    const draft =
      file === undefined && text === undefined
        ? current
        : takeHeading(await readDraft(parseNewsDraft, file, text), given.title)
    const pick = (name: 'summary' | 'url' | 'image') => given[name] ?? draft[name] ?? current[name]
    const fields = {
      id,
      title: given.title ?? draft.title ?? current.title,
      markdown: draft.markdown,
      ...{ summary: pick('summary'), url: pick('url'), image: pick('image') },
    }
    const change =
      lang === undefined
        ? await service.apply('news put', { ...fields, at: given.at ?? draft.date }, dryRun)
        : await service.apply('news translate', { ...fields, lang }, dryRun)
    return [`Changed the news "${id}"${lang ? ` in "${lang}"` : ''}.`, change]
  },
})
