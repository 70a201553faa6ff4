// The guides, from Markdown in src/http/pages/guides/texts/ to HTML with gaps for what only the running service knows.
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Marked, type Token, type Tokens } from 'marked'
import { parse } from 'yaml'
import type { Gap, Guide, GuidePart } from '../src/http/pages/guides/guide.ts'

const GAPS: readonly Gap[] = ['request', 'picture', 'table']
const FRONT_MATTER = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/
/** Every guide stands two levels below the start of the service. */
const ROOT = '../../'

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
const anchorOf = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-')

const marked = new Marked({
  renderer: {
    // The texts are ours, and yet what looks like HTML in them is meant to be read.
    html: ({ text }) => escaped(text),
    code: ({ text }) => `<div class="sample"><pre><code>${escaped(text)}</code></pre></div>\n`,
    link({ href, tokens }) {
      const address = href.startsWith('/') ? ROOT + href.slice(1) : href
      return `<a href="${escaped(address)}">${this.parser.parseInline(tokens)}</a>`
    },
    heading({ depth, text, tokens }) {
      return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
    },
  },
})

/** As src/http/pages/guides/table.ts has its tables. */
const inFrame = (html: string) =>
  html
    .replaceAll('<table>', '<div class="table" role="group" aria-label="Table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')

function gapOf(token: Token): GuidePart | undefined {
  if (token.type !== 'code') return undefined
  const { lang, text } = token as Tokens.Code
  const gap = GAPS.find((name) => name === lang)
  return gap && { gap, value: text }
}

function partsOf(text: string): GuidePart[] {
  const parts: GuidePart[] = []
  for (const token of marked.lexer(text)) {
    const last = parts.at(-1)
    const gap = gapOf(token)
    const html = gap ? '' : inFrame(marked.parser([token]))
    if (gap) parts.push(gap)
    else if (last && 'html' in last) parts[parts.length - 1] = { html: last.html + html }
    else parts.push({ html })
  }
  return parts
}

export async function readGuides(dir: string): Promise<Guide[]> {
  const files = (await readdir(dir)).filter((name) => name.endsWith('.md'))
  const guides = await Promise.all(
    files.map(async (file) => {
      const [, head = '', body = ''] = FRONT_MATTER.exec(await readFile(join(dir, file), 'utf8')) ?? []
      const { order, title, description } = parse(head) as { order: number; title: string; description: string }
      return { order, guide: { name: basename(file, '.md'), title, description, parts: partsOf(body) } }
    }),
  )
  return guides.sort((a, b) => a.order - b.order).map(({ guide }) => guide)
}
