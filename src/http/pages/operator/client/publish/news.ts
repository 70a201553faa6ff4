import { formatDateTime } from '../format.ts'
import { note, time, untrusted } from '../rows.ts'
import { call } from '../session.ts'
import type { FieldDefinition } from './fields.ts'
import type { FormDefinition } from './form.ts'
import { at } from './releases.ts'
import { entryTable, type Section } from './section.ts'

interface NewsEntry {
  readonly id: string
  readonly title: string
  readonly date: string
  readonly lang: string
  readonly translations: readonly { readonly lang: string }[]
}

const text: readonly FieldDefinition[] = [
  { name: 'title', label: 'Title', type: 'text' },
  { name: 'markdown', label: 'Text', type: 'markdown', hint: 'Markdown.' },
  {
    name: 'image',
    label: 'Picture',
    type: 'image',
    hint: 'A URL, or a picture of this service such as /media/animals/fox/~b.png.',
  },
  {
    name: 'summary',
    label: 'Summary',
    type: 'text',
    hint: 'One sentence for lists. Empty: the first paragraph.',
    group: 'More',
  },
  { name: 'url', label: 'URL of the full text', type: 'text', group: 'More' },
]
const language: FieldDefinition = { name: 'lang', label: 'Language', type: 'text', hint: 'Such as de or pt-BR.' }

const newItem = (): FormDefinition => ({
  title: 'New item',
  action: 'Publish',
  fields: [
    ...text,
    { ...at, group: 'More' },
    { ...language, hint: 'Empty: en.', group: 'More' },
    { name: 'id', label: 'Id', type: 'text', hint: 'Empty: date and title.', group: 'More' },
  ],
  change: (body) => ({ method: 'POST', path: '/news', body }),
})

function newsForms({ id, translations }: NewsEntry): Record<string, FormDefinition> {
  const path = `/news/${encodeURIComponent(id)}`
  const pathOf = (lang: unknown) => `${path}/translations/${encodeURIComponent(String(lang ?? ''))}`
  const edit = (title: string, entryPath: string, more: readonly FieldDefinition[]): FormDefinition => ({
    title,
    action: 'Publish',
    entry: [entryPath, 'news'],
    fields: [...text, ...more],
    fill: ({ date, ...entry }) => ({ ...entry, at: date }),
    // Without a new date, the item keeps the date as it is written in its file.
    change: ({ at, ...body }, { date }) => ({
      method: 'PUT',
      path: entryPath,
      body: { ...body, at: at === date ? undefined : at },
    }),
  })
  const remove = (title: string, entryPath: string): FormDefinition => ({
    title,
    action: 'Remove',
    entry: [entryPath, 'news'],
    change: () => ({ method: 'DELETE', path: entryPath }),
  })
  return {
    Edit: edit(`Edit ${id}`, path, [{ ...at, group: 'More' }]),
    Translate: {
      title: `Translate ${id}`,
      action: 'Publish',
      creates: true,
      fields: [language, ...text],
      change: ({ lang, ...body }) => ({ method: 'PUT', path: pathOf(lang), body }),
    },
    ...Object.fromEntries(
      translations.flatMap(({ lang }) => [
        [`Edit ${lang}`, edit(`Edit ${id} (${lang})`, pathOf(lang), [])],
        [`Remove ${lang}`, remove(`Remove ${id} (${lang})`, pathOf(lang))],
      ]),
    ),
    Remove: remove(`Remove ${id}${translations.length > 0 ? ' with its translations' : ''}`, path),
  }
}

interface Loaded {
  readonly news: readonly NewsEntry[]
  readonly problems: readonly { readonly file?: string; readonly message: string }[]
}

export const news: Section<Loaded> = {
  name: 'news',
  title: 'News',
  about: 'Markdown texts, which launchers and feed readers show.',
  create: { 'New item': newItem },
  load: () => call<Loaded>('/news'),
  show({ news, problems }, tools) {
    const rows = news.map((item) => {
      const { id, title, date, lang, translations } = item
      const languages = [lang, ...translations.map((translation) => translation.lang)].join(', ')
      const state = Date.parse(date) > Date.now() ? 'scheduled' : 'public'
      const cells = [untrusted(title), state, time(date, formatDateTime(date)), languages]
      return { subject: id, cells, forms: newsForms(item) }
    })
    return [
      ...problems.map(({ file, message }) => note(`${file}: ${message}`)),
      rows.length > 0
        ? entryTable('All news', ['Title', 'State', 'Date', 'Languages'], rows, tools)
        : note('No news yet.'),
    ]
  },
}
