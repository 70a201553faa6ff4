import type { Category, KindSummary } from '../../../features/content/index.ts'
import { type Html, html } from '../shared/html.ts'

const GROUPS: readonly (readonly [Category, string, string])[] = [
  ['animals', 'animal', 'Animals'],
  ['kaomoji', 'kaomoji', 'Kaomoji'],
  ['string', 'string', 'Texts'],
  ['yt-video', 'yt-video', 'Videos'],
]

const amount = ({ count, drawn }: KindSummary) => (drawn ? 'drawn' : count.toLocaleString('en'))

/** Every kind there is, with a link to its endpoint. */
export const catalogueList = (catalogue: Record<Category, KindSummary[]>): Html => html`
<section class="catalogue" aria-labelledby="catalogue-title">
<h2 id="catalogue-title">Everything there is</h2>
<p>Each of these is an endpoint; a browser gets the picture, a program gets JSON.
All others are in the <a href="docs">reference</a> and in <a href="openapi.json">openapi.json</a>.</p>
<div class="groups">${GROUPS.map(
  ([category, path, title]) => html`
<div><h3>${title}</h3><ul>${catalogue[category].map(
    (kind) =>
      html`<li><a href="api/v2/random/${path}/${kind.kind}">${kind.kind}</a> <span class="aside">${amount(kind)}</span></li>`,
  )}</ul></div>`,
)}
</div>
</section>`
