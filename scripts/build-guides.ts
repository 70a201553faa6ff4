// Converts the guides in src/http/pages/guides/texts/ from Markdown to HTML with placeholders, which the service fills.
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Marked, type Token, type Tokens } from 'marked'
import { parse } from 'yaml'
import type { Guide, GuidePart, Placeholder, Section } from '../src/http/pages/guides/guide.ts'

const PLACEHOLDERS: readonly Placeholder[] = ['request', 'picture', 'image', 'table']
const FRONT_MATTER = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/
/** Guides are served two levels below the root. */
const ROOT = '../../'

const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
const toAnchor = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
    .replaceAll(' ', '-')

const marked = new Marked({
  renderer: {
    // HTML in a guide is shown as text.
    html: ({ text }) => escapeHtml(text),
    // Long lines scroll, also by keyboard.
    code: ({ text }) =>
      `<div class="sample"><pre role="group" aria-label="Example" tabindex="0"><code>${escapeHtml(text)}</code></pre></div>\n`,
    // As in src/http/pages/guides/tables.ts.
    table({ header, rows }) {
      const headings = header.map(({ tokens }) => `<th scope="col">${this.parser.parseInline(tokens)}</th>`)
      const lines = rows.map((cells) => {
        const row = cells.map(
          ({ tokens }, column) =>
            `<td data-label="${escapeHtml(header[column]?.text ?? '')}">${this.parser.parseInline(tokens)}</td>`,
        )
        return `<tr>${row.join('')}</tr>\n`
      })
      return `<div class="table" role="group" aria-label="Table" tabindex="0"><table>
<thead><tr>${headings.join('')}</tr></thead>
<tbody>${lines.join('')}</tbody>
</table></div>\n`
    },
    link({ href, tokens }) {
      const address = href.startsWith('/') ? ROOT + href.slice(1) : href
      return `<a href="${escapeHtml(address)}">${this.parser.parseInline(tokens)}</a>`
    },
    heading({ depth, text, tokens }) {
      const id = toAnchor(text)
      const link = `<a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens)} ${link}</h${depth}>\n`
    },
  },
})

function readPlaceholder(token: Token): GuidePart | undefined {
  if (token.type !== 'code') return undefined
  const { lang, text } = token as Tokens.Code
  const placeholder = PLACEHOLDERS.find((name) => name === lang)
  return placeholder && { placeholder, value: text }
}

function parseParts(text: string): GuidePart[] {
  const parts: GuidePart[] = []
  for (const token of marked.lexer(text)) {
    const last = parts.at(-1)
    const placeholder = readPlaceholder(token)
    const html = placeholder ? '' : marked.parser([token])
    if (placeholder) parts.push(placeholder)
    else if (last && 'html' in last) parts[parts.length - 1] = { html: last.html + html }
    else parts.push({ html })
  }
  return parts
}

/** Markdown without its marks, as people search for it. */
const toPlainText = (markdown: string) =>
  markdown
    .replace(/\]\([^)]*\)/g, '')
    .replace(/^\|[\s|:-]+$/gm, '')
    .replace(/^\s*- /gm, '')
    .replaceAll('{base}', '')
    .replace(/[`*[\]]+/g, '')
    .replace(/[#|>]+/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ (?=[,.])/g, '')
    .trim()

function parseSections(text: string): Section[] {
  const sections: { id: string; title: string; text: string }[] = []
  for (const token of marked.lexer(text)) {
    if (token.type === 'heading') {
      const title = toPlainText((token as Tokens.Heading).text)
      sections.push({ id: toAnchor(title), title, text: '' })
    }
    const last = sections.at(-1)
    if (last && (token.type === 'paragraph' || token.type === 'list' || token.type === 'table'))
      last.text = `${last.text} ${toPlainText(token.raw)}`.trim()
  }
  return sections
}

export async function readGuides(dir: string): Promise<Guide[]> {
  const files = (await readdir(dir)).filter((name) => name.endsWith('.md'))
  const guides = await Promise.all(
    files.map(async (file) => {
      const [, head = '', body = ''] = FRONT_MATTER.exec(await readFile(join(dir, file), 'utf8')) ?? []
      const { order, title, description } = parse(head) as { order: number; title: string; description: string }
      return {
        order,
        guide: {
          name: basename(file, '.md'),
          title,
          description,
          parts: parseParts(body),
          sections: parseSections(body),
        },
      }
    }),
  )
  return guides.sort((a, b) => a.order - b.order).map(({ guide }) => guide)
}
