// News: Markdown with front matter, rendered to safe HTML.
import { dirname } from 'node:path/posix'
import { Marked } from 'marked'
import sanitize from 'sanitize-html'
import type { Static, TSchema } from 'typebox'
import { failParsing, type ParseResult, parseYamlFile } from '../../../platform/yaml/index.ts'
import { DEFAULT_LANGUAGE, parseLanguage, parseTranslationName } from '../languages.ts'
import type { NewsFile, NewsText } from '../news.ts'
import { parseDate } from '../release.ts'
import { isNewsId, newsIdRule } from './rules.ts'
import { NewsDraftFrontMatter, NewsFrontMatter, NewsTranslationFrontMatter } from './schemas.ts'

const MAX_SUMMARY_LENGTH = 240
const FRONT_MATTER_START = /^---[ \t]*\r?\n/
/** Editors on Windows may write a byte order mark first. */
const FRONT_MATTER = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n|$)/m

/** An item whose Markdown is not rendered. */
export type NewsSource = NewsFile & { readonly markdown: string }

/**
 * Front matter with title and date, optionally id, summary, url, image and lang. The file name is the default id. A
 * translation has the id and the date of the file that it translates.
 */
export function parseNewsSource(file: string, text: string): ParseResult<NewsSource> {
  const conflictAt = text.search(/^<{7} /m)
  if (conflictAt >= 0 && text.search(/^>{7} /m) > conflictAt)
    return failParsing(file, text.slice(0, conflictAt).split('\n').length, 'conflict', 'Git marks a conflict here')
  const { name, lang: translation } = parseTranslationName(file)
  const schema = translation === undefined ? NewsFrontMatter : NewsTranslationFrontMatter
  const { value, problems } = parseFrontMatter(file, text, schema)
  if (!value) return { problems }
  const { id = name, date = '', lang: stated, url, image, ...fields } = value
  if (!isNewsId(id)) return failParsing(file, 1, 'id', `The file name, which is the id, ${newsIdRule}`)
  const lang = translation ?? parseLanguage(stated ?? '') ?? DEFAULT_LANGUAGE
  if (stated !== undefined && parseLanguage(stated) !== lang)
    return failParsing(file, 1, 'lang', `The file name says ${lang}, but "lang" says ${stated}; change one of them`)
  const original = translation === undefined ? {} : { original: `${dirname(file)}/${name}.md` }
  const links = { ...(url && { url: new URL(url).href }), ...(image && { image: URL.parse(image)?.href ?? image }) }
  return { value: { ...fields, ...links, id, date: parseDate(date) ?? date, lang, file, ...original }, problems: [] }
}

export type NewsDraft = Static<typeof NewsDraftFrontMatter> & { readonly markdown: string }

/** A draft may omit the front matter, or parts of it; options of the command supply them. */
export function parseNewsDraft(file: string, text: string): ParseResult<NewsDraft> {
  const { name, ...language } = parseTranslationName(file)
  if (!FRONT_MATTER_START.test(text)) return { value: { ...language, markdown: text }, problems: [] }
  const { value, problems } = parseFrontMatter(file, text, NewsDraftFrontMatter)
  if (!value) return { problems }
  const id = value.id ?? name
  return { value: { ...language, ...value, ...(isNewsId(id) && { id }) }, problems: [] }
}

export function parseNews(file: string, text: string): ParseResult<NewsText> {
  const { value, problems } = parseNewsSource(file, text)
  if (!value) return { problems }
  const { markdown, ...source } = value
  try {
    const html = renderMarkdown(markdown)
    return { value: { summary: extractSummary(html), ...source, html }, problems: [] }
  } catch {
    return failParsing(file, 1, 'markdown', `The Markdown ${markdownRule}`)
  }
}

function parseFrontMatter<Schema extends TSchema>(file: string, text: string, schema: Schema) {
  const match = FRONT_MATTER.exec(text)
  if (match?.index !== 0 || match[1] === undefined)
    return failParsing(file, 1, 'front-matter', 'The file must start with front matter between two lines of "---"')
  const { value, problems } = parseYamlFile(file, match[1], schema, { firstLine: 2 })
  if (!value) return { problems }
  return { value: { ...(value as Static<Schema> & object), markdown: text.slice(match[0].length) }, problems }
}

/** A short row gets a cell for each column of the header, so 30 KB would become 30 million cells. */
const MAX_CELLS = 20_000
const countText = (text: string, part: string) => text.split(part).length - 1

const marked = new Marked({
  gfm: true,
  tokenizer: {
    table(source) {
      const [, header = '', , rows = ''] = this.rules.block.table.exec(source) ?? []
      if (countText(header, '|') * countText(rows, '\n') > MAX_CELLS) throw new RangeError('too many cells')
      // The tokenizer of marked itself follows.
      return false
    },
  },
})

// Only what Markdown itself can express. Other HTML could run code in a launcher that displays it (script, event
// handlers, javascript: links), load a foreign page (iframe, object) or imitate the launcher (style, form, id).
const allowedHtml: sanitize.IOptions = {
  allowedTags: [
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'br', 'hr', 'blockquote', 'pre', 'code'],
    ...['strong', 'em', 'b', 'i', 'del', 'sub', 'sup', 'kbd', 'a', 'img', 'ul', 'ol', 'li'],
    ...['table', 'thead', 'tbody', 'tr', 'th', 'td', 'details', 'summary'],
  ],
  allowedAttributes: {
    a: ['href', 'title', 'rel'],
    img: ['src', 'alt', 'title', 'width', 'height'],
    ol: ['start'],
    th: ['align'],
    td: ['align'],
  },
  allowedSchemes: ['https', 'http', 'mailto'],
  allowedSchemesByTag: { img: ['https', 'http'] },
  allowProtocolRelative: false,
  transformTags: { a: sanitize.simpleTransform('a', { rel: 'noopener noreferrer' }) },
}

// marked takes quadratic time for the delimiters of one block (12,500 take two seconds) and for the lines of a list item.
const MAX_DELIMITERS = 1000
const MAX_LIST_ITEM_LENGTH = 10_000
export const markdownRule =
  `is nested too deeply, a paragraph has more than ${MAX_DELIMITERS} asterisks, underscores and tildes, ` +
  `a list item has more than ${MAX_LIST_ITEM_LENGTH} characters, or a table has more than ${MAX_CELLS} cells`
const LIST_ITEM = /^\s*(?:[-+*]|\d+[.)]) /
/** An empty line, or a line that starts a list item, a row of a table, a heading or a quote. */
const BLOCK_START = /\n(?=[ \t]*(?:\r?\n|[-+*] |[|#>]|\d+[.)] ))/

/** Throws if the Markdown would take too long, or is nested too deeply. */
export function renderMarkdown(markdown: string): string {
  const takesLong = (block: string) =>
    (block.match(/[*_~]/g)?.length ?? 0) > MAX_DELIMITERS ||
    (block.length > MAX_LIST_ITEM_LENGTH && LIST_ITEM.test(block))
  if (markdown.split(BLOCK_START).some(takesLong)) throw new RangeError('too many delimiters, or too long a list item')
  return sanitize(marked.parse(markdown, { async: false }), allowedHtml).trim()
}

/** The text of the first paragraph of rendered Markdown, in which every `<` starts a tag. */
function extractSummary(html: string): string {
  const paragraph = /<p>(.*?)<\/p>/s.exec(html)?.[1] ?? html
  const text = decodeEntities(paragraph.replace(/<[^>]*>/g, ''))
    .replace(/\s+/g, ' ')
    .trim()
  if (text.length <= MAX_SUMMARY_LENGTH) return text
  // Half of an emoji would make the JSON invalid for strict parsers.
  const start = text.slice(0, MAX_SUMMARY_LENGTH - 1).replace(/[\ud800-\udbff]$/, '')
  return `${start.trimEnd()}…`
}

const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' }
const decodeEntities = (text: string) => text.replace(/&(lt|gt|quot|amp);/g, (entity) => entities[entity] ?? entity)
