import { Marked } from 'marked'
import sanitize from 'sanitize-html'

const markdown = new Marked({ gfm: true })

// Only what Markdown itself can say. Anything else that a text holds as raw HTML could run code in a launcher that
// shows it (script, handlers, javascript: links), load a foreign page (iframe, object) or dress up as the launcher
// (style, form, id).
const safe: sanitize.IOptions = {
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

export const safeHtml = (text: string): string => sanitize(markdown.parse(text, { async: false }), safe).trim()

const LONGEST_SUMMARY = 240

/** The text of the first paragraph; takes what `safeHtml` gives, in which every `<` begins a tag. */
export function summaryOf(html: string): string {
  const paragraph = /<p>(.*?)<\/p>/s.exec(html)?.[1] ?? html
  const text = decodeEntities(paragraph.replace(/<[^>]*>/g, ''))
    .replace(/\s+/g, ' ')
    .trim()
  return text.length <= LONGEST_SUMMARY ? text : `${text.slice(0, LONGEST_SUMMARY - 1).trimEnd()}…`
}

const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' }
const decodeEntities = (text: string) => text.replace(/&(lt|gt|quot|amp);/g, (entity) => entities[entity] ?? entity)
