import type { Category, KindSummary } from '../../../features/content/index.ts'
import type { Uptime } from '../../../features/developer/index.ts'
import { filters } from '../../../features/filters/index.ts'
import { formatJson } from '../shared/format-json.ts'
import { type Html, html } from '../shared/html.ts'
import type { InternalReply } from '../shared/internal-request.ts'
import { renderRequestExample } from '../shared/request-example.ts'
import { jsonSnippets } from '../shared/snippets.ts'

/** A part of the page that shows one request with its reply. */
interface Panel {
  readonly name: 'animal' | 'kaomoji' | 'eightball' | 'video'
  readonly base: string
  readonly reply: InternalReply
}

interface KindPanel extends Panel {
  readonly kinds: readonly string[]
  readonly kind: string
}

const renderExample = ({ name, base, reply }: Panel, more?: Html): Html =>
  renderRequestExample({
    name,
    snippets: jsonSnippets(`${base}/${reply.path}`),
    status: String(reply.status),
    reply: formatJson(reply.body),
    ...(more && { more }),
  })

/** Shows the error of the first reply; the script shows later ones here. */
const renderError = ({ status, body }: InternalReply): Html =>
  html`<p class="problem" role="alert" data-problem>${status !== 200 && String(body.message)}</p>`

const messageOf = ({ status, body }: InternalReply): string => (status === 200 ? String(body.message) : '')

/** The URL of the picture in a reply, relative to the page. */
export const pictureUrl = (reply: InternalReply, base: string): string => messageOf(reply).slice(base.length + 1)

/** Links that choose a kind: they change the panel with a script, and load the page without one. */
const renderKindChooser = (parameter: string, label: string, { kinds, kind: selected }: KindPanel): Html => html`
<nav class="kinds" aria-label="${label}"><ul data-kinds="${parameter}">${kinds.map(
  (kind) =>
    html`<li><a href="?${parameter}=${kind}#${parameter}-title" data-kind="${kind}"${kind === selected && html` aria-current="true"`}>${kind}</a></li>`,
)}</ul></nav>`

const renderImageUsage = ({ base, reply }: Panel) => html`
<div class="more">
<p>In a page, the same URL is the picture itself:</p>
<pre><code>&lt;img src="<span data-url>${base}/${reply.path}</span>"&gt;</code></pre>
<ul>
<li><code>?count=5</code> several at once</li>
<li><code>?seed=anna</code> the same one every time</li>
<li><code>?type=png</code> only this type</li>
</ul>
</div>`

export const renderAnimalPanel = (panel: KindPanel, numbers: Html): Html => html`
<section class="hero" data-panel="animal" aria-labelledby="animal-title">
<div class="hero-words">
<h1 id="animal-title">Small animals,<br>one request away.</h1>
<p class="lead">Random animals, kaomoji, 8ball answers and videos, and filters for any image with a URL.
No key, no sign-up. <a href="#avatar-title">Find your animal</a></p>
${renderKindChooser('animal', 'Kind of animal', panel)}
</div>
<form class="hero-picture" action="./">
<input type="hidden" name="animal" value="${panel.kind}" data-chosen>
<button class="animal" type="submit" data-next>
<img src="${pictureUrl(panel.reply, panel.base)}" alt="${panel.reply.body.item?.alt ?? `A ${panel.kind}`}" width="512" height="512" fetchpriority="high">
<span class="another">Another one</span>
</button>
${renderError(panel.reply)}
</form>
${numbers}
<div class="hero-example">${renderExample(panel, renderImageUsage(panel))}</div>
</section>`

export const KAOMOJI_SHOWN = 12

const kaomojiOf = ({ reply }: Panel) => (reply.status === 200 ? [reply.body.message].flat() : [])

export const renderKaomojiPanel = (panel: KindPanel): Html => html`
<section class="panel leafy" data-panel="kaomoji" aria-labelledby="kaomoji-title">
<div>
<h2 id="kaomoji-title">Kaomoji</h2>
<p class="script-only">Click one to copy it.</p>
${renderKindChooser('kaomoji', 'Kind of kaomoji', panel)}
<ul class="kaomoji" data-list data-count="${KAOMOJI_SHOWN}">${kaomojiOf(panel).map((text) => html`<li><bdi>${text}</bdi></li>`)}</ul>
<form action="./#kaomoji-title"><input type="hidden" name="kaomoji" value="${panel.kind}" data-chosen>
<button class="press" type="submit" data-next>More kaomoji</button></form>
${renderError(panel.reply)}
</div>
${renderExample(panel)}
</section>`

// The input has no name, so the question is not sent without a script either.
export const renderEightballPanel = (panel: Panel): Html => html`
<section class="panel dusky" data-panel="eightball" aria-labelledby="eightball-title">
<div>
<h2 id="eightball-title">Ask the 8ball</h2>
<form class="question" action="./#eightball-title">
<label for="question">Your question <span class="aside">is not sent anywhere</span></label>
<div><input id="question" type="text" autocomplete="off" placeholder="Will it rain fish?">
<button class="press" type="submit" data-next>Ask</button></div>
</form>
<div class="ball" data-ball><span class="ball-window"><output data-answer>${messageOf(panel.reply)}</output></span></div>
${renderError(panel.reply)}
</div>
${renderExample(panel)}
</section>`

/** A drawing, because the video's own thumbnail is on another host. */
const posterUrl = (id: string) => `media/animals/cat/~${id.replace(/[^\w-]/g, '').slice(0, 64) || 'video'}.svg`

export function renderVideoPanel(panel: Panel, kind: string): Html {
  const { id = '', title = '' } = panel.reply.body.item ?? {}
  return html`
<section class="panel peachy" data-panel="video" data-kind="${kind}" aria-labelledby="video-title">
<div>
<h2 id="video-title">Random videos</h2>
<a class="video" data-video href="${messageOf(panel.reply)}" rel="noreferrer"${!id && html` hidden`}>
<span class="video-picture"><img src="${posterUrl(id)}" alt="" width="512" height="512" loading="lazy"></span>
<span class="video-words"><bdi data-title>${title}</bdi><small>Opens on another site</small></span>
</a>
<form action="./#video-title"><button class="press" type="submit" data-next>Another video</button></form>
${renderError(panel.reply)}
</div>
${renderExample(panel)}
</section>`
}

/** CSS filters of the browser approximate ours on the current animal. */
export const renderFilterTiles = (picture: string): Html => html`
<section class="filters" aria-labelledby="filters-title">
<h2 id="filters-title">Filters for any image</h2>
<p>Pass the URL of an image to a filter. <a href="playground">Try it in the playground</a>.</p>
<ul>${filters.map(
  ({ name }) => html`
<li><a href="playground?steps=${name}"><span class="tile ${name}"><img src="${picture}" alt="" width="512" height="512" loading="lazy" data-tile></span>${name}</a></li>`,
)}
</ul>
</section>`

type Catalogue = Record<Category, KindSummary[]>

const formatNumber = (value: number) => value.toLocaleString('en')

export function renderNumbers(catalogue: Catalogue, uptime: Uptime, version: string): Html {
  const kinds = Object.values(catalogue).flat()
  const items = kinds.reduce((sum, { count }) => sum + count, 0)
  const drawn = kinds.filter((kind) => kind.drawn).length
  return html`
<dl class="numbers">
<div><dt>kinds</dt><dd>${formatNumber(kinds.length)}</dd></div>
<div><dt>items</dt><dd>${formatNumber(items)}</dd></div>
${drawn > 0 && html`<div><dt>drawn kinds</dt><dd>${formatNumber(drawn)}</dd></div>`}
<div><dt>uptime</dt><dd data-uptime="${uptime.uptime}">${uptime.time}</dd></div>
<div><dt>version</dt><dd>${version}</dd></div>
</dl>`
}

const CATALOGUE_GROUPS: readonly (readonly [Category, string, string])[] = [
  ['animals', 'animal', 'Animals'],
  ['kaomoji', 'kaomoji', 'Kaomoji'],
  ['string', 'string', 'Texts'],
  ['yt-video', 'yt-video', 'Videos'],
]

export const renderCatalogue = (catalogue: Catalogue): Html => html`
<section class="catalogue" aria-labelledby="catalogue-title">
<h2 id="catalogue-title">All kinds</h2>
<p>Each one is an endpoint that replies with JSON. In an <code>&lt;img&gt;</code>, an animal is the picture itself.
Other endpoints are in the <a href="docs">reference</a> and in <a href="openapi.json">openapi.json</a>.</p>
<div class="groups">${CATALOGUE_GROUPS.map(
  ([category, path, title]) => html`
<div><h3>${title}</h3><ul>${catalogue[category].map(
    ({ kind, count, drawn }) =>
      html`<li><a href="api/v2/random/${path}/${kind}">${kind}</a> <span class="aside">${drawn ? 'drawn' : formatNumber(count)}</span></li>`,
  )}</ul></div>`,
)}
</div>
</section>`
