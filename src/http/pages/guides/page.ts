import Type from 'typebox'
import { artistKinds } from '../../../../packages/artist/src/index.ts'
import { UnknownFile } from '../../../errors/index.ts'
import { listAllErrors } from '../../api/api-description.ts'
import type { ApiDocument } from '../../kernel/openapi.ts'
import { cache } from '../../kernel/replies.ts'
import { get, type Route } from '../../kernel/route.ts'
import { Html, html } from '../shared/html.ts'
import { type Layout, MAX_QUERY_LENGTH, renderSearchForm } from '../shared/layout.ts'
import { renderRequestExample } from '../shared/request-example.ts'
import { imageSnippets, jsonSnippets } from '../shared/snippets.ts'
import type { Guide, GuidePart, GuideReader } from './guide.ts'
import { listEntries, type SearchEntry, type SearchResult, search, splitQuery } from './search.ts'
import { type GuideContext, tables } from './tables.ts'

const PATH = '/docs/guides'
const tag = 'Pages'
const otherTypes = ['text/html']
const MAX_SECTIONS_WITHOUT_CONTENTS = 4

/** Guides: texts from the build, tables from this service. */
export function guideRoutes(context: GuideContext, readGuides: GuideReader, layout: Layout): Route[] {
  const page = { script: 'guides.js', cache: cache.revalidate } as const
  const { apiDescription } = context
  let index: { readonly document: ApiDocument; readonly entries: readonly SearchEntry[] } | undefined
  const readEntries = async () => {
    const guides = await readGuides()
    const document = apiDescription.document()
    // The document changes with the kinds of content.
    if (index?.document !== document) index = { document, entries: listEntries(guides, document, listAllErrors()) }
    return index.entries
  }
  return [
    get(PATH, {
      tag,
      summary: 'List of guides',
      description: 'In the order in which to read them.',
      otherTypes,
      handle: async ({ baseUrl: base }) =>
        layout({
          ...page,
          path: 'docs/guides',
          title: 'Menagerie: guides',
          description: 'Getting started, filters, avatars, chats, versions, errors, limits, the v5 policy and updates.',
          body: renderIndex(await readGuides()),
          base,
        }),
    }),
    get('/docs/search', {
      tag,
      summary: 'Search in guides and reference',
      description: 'Finds guides, endpoints, filters and error codes.',
      query: {
        q: Type.String({
          maxLength: MAX_QUERY_LENGTH,
          description: 'Search words. A result contains all of them.',
          examples: ['blur strength'],
        }),
      },
      otherTypes,
      handle: async ({ query: { q = '' }, baseUrl: base }) => {
        const words = splitQuery(q)
        return layout({
          ...page,
          path: 'docs/search',
          title: 'Menagerie: search',
          description: 'Search in the guides and the reference.',
          body: renderResults(q, words, search(await readEntries(), words)),
          base,
        })
      },
    }),
    get(`${PATH}/:name`, {
      tag,
      summary: 'A guide',
      description: 'With tables of the kinds, filters and limits of this service.',
      params: { name: Type.String({ description: 'Name from the list of guides.', examples: ['getting-started'] }) },
      otherTypes,
      errors: [UnknownFile],
      handle: async ({ params, baseUrl: base }) => {
        const guides = await readGuides()
        const guide = guides.find(({ name }) => name === params.name)
        if (!guide) throw new UnknownFile(PATH)
        return layout({
          ...page,
          path: `docs/guides/${guide.name}`,
          title: `Menagerie: ${guide.title}`,
          description: guide.description,
          body: renderGuide(guides, guide, context, base),
          base,
        })
      },
    }),
  ]
}

const renderIndex = (guides: readonly Guide[]): Html => html`
<section class="guide-cards" aria-labelledby="guides-title">
<h1 id="guides-title">Guides</h1>
<p class="lead">Read them in this order. Every parameter is in <a href="../docs">the reference</a>.</p>
<ol>${guides.map(
  ({ name, title, description }, position) => html`
<li><div><h2><a href="guides/${name}">${title}</a></h2><p>${description}</p></div>
<img src="../media/animals/${artistKinds[(position + 1) % artistKinds.length]}/~${name}.webp?size=128&amp;background=none" alt="" width="128" height="128" loading="lazy"></li>`,
)}
</ol>
</section>`

function renderGuide(guides: readonly Guide[], guide: Guide, context: GuideContext, base: string): Html {
  const index = guides.indexOf(guide)
  const [previous, next] = [guides[index - 1], guides[index + 1]]
  return html`
<div class="guide">
<nav class="guide-list" aria-label="Guides"><ul>${guides.map(
    (other) =>
      html`<li><a href="${other.name}"${other === guide && html` aria-current="page"`}>${other.title}</a></li>`,
  )}</ul></nav>
<article>
<h1>${guide.title}</h1>
<p class="lead">${guide.description}</p>
${guide.sections.length > MAX_SECTIONS_WITHOUT_CONTENTS && renderContents(guide)}
${guide.parts.map((part, position) => renderPart(part, position, context, base))}
<nav class="turn" aria-label="Previous and next guide">
${previous ? html`<p>Previous: <a rel="prev" href="${previous.name}">${previous.title}</a></p>` : html`<p><a href="../guides">All guides</a></p>`}
${next ? html`<p>Next: <a rel="next" href="${next.name}">${next.title}</a></p>` : html`<p>Next: <a href="../../docs">the reference</a></p>`}
</nav>
</article>
</div>`
}

const renderResults = (query: string, words: readonly string[], results: readonly SearchResult[]): Html => html`
<section class="results" aria-labelledby="search-title">
<h1 id="search-title">Search</h1>
${renderSearchForm('../', query)}
<p role="status" data-found>${
  words.length === 0
    ? html`Type words from the <a href="guides">guides</a>, an endpoint, a parameter or an error code.`
    : results.length === 0
      ? html`Nothing contains all of these words. Try fewer words, or browse the <a href="guides">guides</a> and the <a href="../docs">reference</a>.`
      : `Results: ${results.length}`
}</p>
<ol data-results>${results.map(
  ({ type, title, href, snippet }) => html`
<li><a href="${href}">${markWords(title, words)}</a> <span class="type">${type}</span><p>${markWords(snippet, words)}</p></li>`,
)}</ol>
</section>`

/** `words` consist of letters, digits and underscores. */
const markWords = (text: string, words: readonly string[]): Html[] =>
  text
    .split(new RegExp(`(${words.join('|')})`, 'giu'))
    .map((part, position) => (position % 2 === 1 ? html`<mark>${part}</mark>` : html`${part}`))

const renderContents = ({ sections }: Guide): Html => html`
<nav class="contents" aria-labelledby="contents-title">
<p id="contents-title">On this page</p>
<ul>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
</nav>`

function renderPart(part: GuidePart, position: number, context: GuideContext, base: string): Html {
  const fill = (text: string, baseText: string) =>
    text.replaceAll('{base}', baseText).replaceAll('{app}', context.appName)
  // The build escaped the text; the base URL is escaped here.
  if ('html' in part) return new Html(fill(part.html, html`${base}`.text))
  if (part.placeholder === 'table') {
    const [name = '', argument] = part.value.split(' ')
    return tables[name]!(context, argument)
  }
  if (part.placeholder === 'image') {
    const [path, alt] = part.value.split('\n')
    return html`<figure>${renderImage(path!, alt!)}</figure>`
  }
  const [path, original] = fill(part.value, base).split('\n') as [string, string?]
  const name = `guide-${position}`
  if (part.placeholder === 'request') return renderRequestExample({ name, snippets: jsonSnippets(base + path) })
  return html`${renderRequestExample({ name, snippets: imageSnippets(base + path) })}
${
  original === undefined
    ? html`<figure>${renderImage(path, 'The reply to this request')}</figure>`
    : html`<div class="pair"><figure>${renderImage(original, 'The original')}<figcaption>Before</figcaption></figure>
<figure>${renderImage(path, 'The reply to this request')}<figcaption>After</figcaption></figure></div>`
}`
}

const renderImage = (path: string, alt: string): Html =>
  html`<img src="../..${path}" alt="${alt}" width="512" height="512" loading="lazy">`
