import Type from 'typebox'
import { UnknownFile } from '../../../errors/index.ts'
import { cache } from '../../kernel/replies.ts'
import { get, type Route } from '../../kernel/route.ts'
import { Html, html } from '../shared/html.ts'
import type { Layout } from '../shared/layout.ts'
import { renderRequestExample } from '../shared/request-example.ts'
import { imageSnippets, jsonSnippets } from '../shared/snippets.ts'
import { createGuideReader, type Guide, type GuidePart } from './guide.ts'
import { type GuideContext, tables } from './tables.ts'

const PATH = '/docs/guides'
const tag = 'Pages'
const otherTypes = ['text/html']

/** Guides: texts from the build, tables from this service. */
export function guideRoutes(context: GuideContext & { readonly siteDir: string }, layout: Layout): Route[] {
  const readGuides = createGuideReader(context.siteDir)
  const page = { script: 'guides.js', cache: cache.revalidate } as const
  return [
    get(PATH, { tag, summary: 'List of guides', otherTypes }, async ({ baseUrl: base }) =>
      layout({
        ...page,
        path: 'docs/guides',
        title: 'Menagerie: guides',
        description: 'Getting started, filters, avatars, versions, errors, limits and the v5 policy.',
        body: renderIndex(await readGuides()),
        base,
      }),
    ),
    get(
      `${PATH}/:name`,
      {
        tag,
        summary: 'A guide',
        params: { name: Type.String({ description: 'Name from the list of guides.', examples: ['getting-started'] }) },
        otherTypes,
        errors: [UnknownFile],
      },
      async ({ params, baseUrl: base }) => {
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
    ),
  ]
}

const renderIndex = (guides: readonly Guide[]): Html => html`
<section class="guide-cards" aria-labelledby="guides-title">
<h1 id="guides-title">Guides</h1>
<p class="lead">Read them in this order. Every parameter is in <a href="../docs">the reference</a>.</p>
<ol>${guides.map(
  ({ name, title, description }) => html`
<li><h2><a href="guides/${name}">${title}</a></h2><p>${description}</p></li>`,
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
${guide.parts.map((part, position) => renderPart(part, position, context, base))}
<nav class="turn" aria-label="Previous and next guide">
${previous ? html`<p>Previous: <a rel="prev" href="${previous.name}">${previous.title}</a></p>` : html`<p><a href="../guides">All guides</a></p>`}
${next ? html`<p>Next: <a rel="next" href="${next.name}">${next.title}</a></p>` : html`<p>Next: <a href="../../docs">the reference</a></p>`}
</nav>
</article>
</div>`
}

function renderPart(part: GuidePart, position: number, context: GuideContext, base: string): Html {
  const fill = (text: string, baseText: string) =>
    text.replaceAll('{base}', baseText).replaceAll('{app}', context.appName)
  // The build escaped the text; the base URL is escaped here.
  if ('html' in part) return new Html(fill(part.html, html`${base}`.text))
  if (part.placeholder === 'table') {
    const [name = '', argument] = part.value.split(' ')
    return tables[name]!(context, argument)
  }
  const path = fill(part.value, base)
  const name = `guide-${position}`
  if (part.placeholder === 'request') return renderRequestExample({ name, snippets: jsonSnippets(base + path) })
  return html`${renderRequestExample({ name, snippets: imageSnippets(base + path) })}
<figure><img src="../..${path}" alt="The reply to this request" width="512" height="512" loading="lazy"></figure>`
}
