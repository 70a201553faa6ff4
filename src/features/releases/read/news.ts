import type { Static, TSchema } from 'typebox'
import { parseDate } from '../dates.ts'
import { isNewsId, newsIdRule } from '../rules.ts'
import { safeHtml, summaryOf } from './markdown.ts'
import { type Read, refused } from './problem.ts'
import { NewsDraftHead, NewsHead } from './schema.ts'
import { readYaml } from './yaml.ts'

export interface NewsItem {
  readonly id: string
  readonly title: string
  /** ISO 8601, UTC. */
  readonly date: string
  readonly summary: string
  readonly html: string
  /** Where the operator said that it can be read. */
  readonly url?: string
  /** Relative to the folder. */
  readonly file: string
}

const OPENING = /^---[ \t]*\r?\n/
const HEAD = /^---[ \t]*\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n|$)/m

export type NewsHeading = Omit<NewsItem, 'html' | 'summary'> & { readonly summary?: string; readonly body: string }

/** Front matter with title and date, and where wanted id, summary and url; the body is not rendered. */
export function readNewsHeading(file: string, text: string): Read<NewsHeading> {
  const { value, problems } = readHead(file, text, NewsHead)
  if (!value) return { problems }
  const id = value.id ?? idOf(file)
  if (!isNewsId(id)) return refused(file, 1, 'id', `The file name, which is the id, ${newsIdRule}`)
  const date = parseDate(value.date) ?? value.date
  return { value: { ...value, id, date, file }, problems: [] }
}

export type NewsDraft = Static<typeof NewsDraftHead> & { readonly body: string }

/** News as someone wrote it, which may leave out all that the command to publish it says. */
export function readNewsDraft(file: string, text: string): Read<NewsDraft> {
  if (!OPENING.test(text)) return { value: { body: text }, problems: [] }
  const { value, problems } = readHead(file, text, NewsDraftHead)
  if (!value) return { problems }
  const id = value.id ?? idOf(file)
  return { value: { ...value, ...(isNewsId(id) && { id }) }, problems: [] }
}

function readHead<Schema extends TSchema>(file: string, text: string, schema: Schema) {
  const head = HEAD.exec(text)
  if (head?.index !== 0 || head[1] === undefined) {
    return refused<never>(file, 1, 'front-matter', 'The file must begin with front matter between two lines of "---"')
  }
  const { value, problems } = readYaml(head[1], { schema }, file, 2)
  if (!value) return { problems }
  return { value: { ...(value as Static<Schema> & object), body: text.slice(head[0].length) }, problems }
}

const idOf = (file: string) => file.replace(/^.*\//, '').replace(/\.md$/, '')

/** The whole piece of news, rendered. */
export function readNews(file: string, text: string): Read<NewsItem> {
  const { value, problems } = readNewsHeading(file, text)
  if (!value) return { problems }
  const { body, ...heading } = value
  try {
    const html = safeHtml(body)
    return { value: { summary: summaryOf(html), ...heading, html }, problems: [] }
  } catch {
    return refused(file, 1, 'markdown', 'The Markdown is nested too deeply to be rendered')
  }
}
