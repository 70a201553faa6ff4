import { exchangeView } from '../shared/exchange-view.ts'
import { Html, html } from '../shared/html.ts'
import { imageSnippets, jsonSnippets } from '../shared/snippets.ts'
import type { Guide, GuidePart } from './guide.ts'
import { type GuideFacts, tables } from './tables.ts'

/** The list of guides, beside each of them. */
const guideList = (guides: readonly Guide[], shown: Guide): Html => html`
<nav class="guide-list" aria-label="Guides"><ul>${guides.map(
  (guide) => html`<li><a href="${guide.name}"${guide === shown && html` aria-current="page"`}>${guide.title}</a></li>`,
)}</ul></nav>`

export function guidePage(guides: readonly Guide[], shown: Guide, facts: GuideFacts, base: string): Html {
  const nth = guides.indexOf(shown)
  const [previous, next] = [guides[nth - 1], guides[nth + 1]]
  return html`
<div class="guide">
${guideList(guides, shown)}
<article>
<h1>${shown.title}</h1>
<p class="lead">${shown.description}</p>
${shown.parts.map((part, place) => partOf(part, place, facts, base))}
<nav class="turn" aria-label="Next and previous guide">
${previous ? html`<p>Before: <a rel="prev" href="${previous.name}">${previous.title}</a></p>` : html`<p><a href="../guides">All guides</a></p>`}
${next ? html`<p>Next: <a rel="next" href="${next.name}">${next.title}</a></p>` : html`<p>Next: <a href="../../docs">the reference</a></p>`}
</nav>
</article>
</div>`
}

export const guideIndex = (guides: readonly Guide[]): Html => html`
<section class="guide-cards" aria-labelledby="guides-title">
<h1 id="guides-title">Guides</h1>
<p class="lead">Short, and in the order in which you need them. Every parameter is in <a href="../docs">the reference</a>.</p>
<ol>${guides.map(
  ({ name, title, description }) => html`
<li><h2><a href="guides/${name}">${title}</a></h2><p>${description}</p></li>`,
)}
</ol>
</section>`

function partOf(part: GuidePart, place: number, facts: GuideFacts, base: string): Html {
  const filled = (text: string, start: string) => text.replaceAll('{base}', start).replaceAll('{app}', facts.appName)
  // The build escaped the text; what is put into it is escaped here.
  if ('html' in part) return new Html(filled(part.html, html`${base}`.text))
  if (part.gap === 'table') {
    const [name = '', argument] = part.value.split(' ')
    return tables[name]!(facts, argument)
  }
  const path = filled(part.value, base)
  const name = `guide-${place}`
  if (part.gap === 'request') return exchangeView({ name, snippets: jsonSnippets(base + path) })
  return html`${exchangeView({ name, snippets: imageSnippets(base + path) })}
<figure><img src="../..${path}" alt="What this request is answered with" width="512" height="512" loading="lazy"></figure>`
}
