import { artistKinds } from '../../../../packages/artist/src/index.ts'
import type { Category, KindSummary } from '../../../features/content/index.ts'
import type { Uptime } from '../../../features/developer/index.ts'
import { filters } from '../../../features/filters/index.ts'
import type { SiteLimits } from '../guides/tables.ts'
import { formatJson } from '../shared/format-json.ts'
import { type Html, html } from '../shared/html.ts'
import type { InternalReply } from '../shared/internal-request.ts'
import { renderRequestExample } from '../shared/request-example.ts'
import { jsonSnippets } from '../shared/snippets.ts'

/** A part of the page that shows one request with its reply. */
interface Panel {
  readonly name: 'animal' | 'kaomoji' | '8ball' | 'video'
  readonly base: string
  readonly reply: InternalReply
}

interface KindPanel extends Panel {
  readonly kinds: readonly string[]
  readonly kind: string
}

/** Shows the error of the first reply; the script shows later ones here. */
const renderError = ({ status, body }: InternalReply): Html =>
  html`<p class="problem" role="alert" data-problem>${status !== 200 && String(body.message)}</p>`

const messageOf = ({ status, body }: InternalReply): string => (status === 200 ? String(body.message) : '')

/** The URL of the picture in a reply, relative to the page. */
export const pictureUrl = (reply: InternalReply, base: string): string => messageOf(reply).slice(base.length + 1)

const isDrawn = (kind: string) => artistKinds.some((known) => known === kind)

/** Links that choose a kind: they change the panel with a script, and load the page without one. */
const renderKindChooser = (parameter: string, label: string, { kinds, kind: selected }: KindPanel): Html => html`
<nav class="kinds" aria-label="${label}"><ul data-kinds="${parameter}">${kinds.map(
  (kind) =>
    html`<li><a href="?${parameter}=${kind}#${parameter}-title" data-kind="${kind}"${kind === selected && html` aria-current="true"`}>${parameter === 'animal' && isDrawn(kind) && html`<img src="media/animals/${kind}/~b.webp?size=64&amp;background=none" alt="" width="64" height="64">`}${kind}</a></li>`,
)}</ul></nav>`

export const renderHero = (panel: KindPanel): Html => html`
<section class="hero" data-panel="animal" aria-labelledby="animal-title">
<div class="hero-words">
<h1 id="animal-title">Small animals,<br>one request away.</h1>
<p class="lead">Random animals, an avatar for every name, kaomoji, an 8ball, and filters for any image. One free HTTP API.</p>
<p class="actions"><a class="press" href="#avatar-title">Find your animal</a><a class="second" href="#code-title">Use it in your code</a></p>
<p class="hero-request"><code data-request>curl ${panel.base}/${panel.reply.path}</code>
<button class="copy script-only" type="button" data-copy-request>Copy<span class="visually-hidden"> the request</span></button></p>
</div>
<div class="hero-picture">
<form action="./">
<input type="hidden" name="animal" value="${panel.kind}" data-chosen>
<button class="animal" type="submit">
<img src="${pictureUrl(panel.reply, panel.base)}" alt="${panel.reply.body.item?.alt ?? `A ${panel.kind}`}" width="512" height="512" fetchpriority="high">
<span class="another">Another one</span>
</button>
</form>
${renderError(panel.reply)}
${renderKindChooser('animal', 'Kind of animal', panel)}
</div>
</section>`

const describeLimit = ({ buckets: { requests } }: SiteLimits) =>
  requests
    ? html`<h3>${formatNumber(requests.count)} requests</h3><p>per ${requests.seconds === 60 ? 'minute' : `${requests.seconds} seconds`} and address. <a href="docs/guides/limits">How limits work</a></p>`
    : html`<h3>No rate limit</h3><p>Send as many requests as you need. <a href="docs/guides/limits">Other limits</a></p>`

export const renderCosts = (limits: SiteLimits): Html => html`
<section class="costs" aria-labelledby="costs-title">
<h2 id="costs-title">What it costs: nothing</h2>
<ul>
<li><h3>No key, no sign-up</h3><p>Send a request from a program or from any web page. No cookies.</p></li>
<li>${describeLimit(limits)}</li>
<li><h3>CC0 drawings</h3><p>Use, change and sell what the built-in artist draws. Other pictures name their licence.</p></li>
<li><h3>Yours to host</h3><p>Open source (MIT): your own service is one command, without a database.</p></li>
</ul>
</section>`

interface CodeExample {
  readonly name: Panel['name']
  /** Relative to the base URL. */
  readonly path: string
}

/** The one place for code. It shows the last request of the page, in several languages. */
export const renderCode = ({ name, base, reply }: Panel, others: readonly CodeExample[]): Html => html`
<section class="code" data-code aria-labelledby="code-title">
<div class="code-words">
<h2 id="code-title">One request, any language</h2>
<p>All that you see on this page comes from requests like this one. <span class="script-only">Choose another:</span></p>
<nav class="kinds" aria-label="Examples"><ul>${[{ name, path: reply.path }, ...others].map(
  (example) =>
    html`<li><a href="${example.path}" data-example="${example.name}"${example.name === name && html` aria-current="true"`}>${example.name}</a></li>`,
)}</ul></nav>
<ul class="hints">
<li><code>?count=5</code> several at once</li>
<li><code>?seed=anna</code> the same one every time</li>
<li><code>?format=text</code> the text alone, or the URL</li>
</ul>
<p>In an <code>&lt;img src="…"&gt;</code>, the URL of an animal is the picture itself.
<a href="docs/guides/getting-started">Read the first guide</a></p>
</div>
${renderRequestExample({
  name: 'code',
  snippets: jsonSnippets(`${base}/${reply.path}`),
  status: String(reply.status),
  reply: formatJson(reply.body),
  isScrollable: true,
})}
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
<button class="press" type="submit">More kaomoji</button></form>
${renderError(panel.reply)}
</div>
</section>`

// The input has no name, so the question is not sent without a script either.
export const renderEightballPanel = (panel: Panel): Html => html`
<section class="panel dusky" data-panel="8ball" aria-labelledby="eightball-title">
<div>
<h2 id="eightball-title">Ask the 8ball</h2>
<form class="question" action="./#eightball-title">
<label for="question">Your question <span class="aside">is not sent anywhere</span></label>
<div><input id="question" type="text" autocomplete="off" placeholder="Will it rain fish?">
<button class="press" type="submit">Ask</button></div>
</form>
<div class="ball" data-ball><span class="ball-window"><output data-answer>${messageOf(panel.reply)}</output></span></div>
${renderError(panel.reply)}
</div>
</section>`

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).hostname : '')

/** Words only: the thumbnail of the video is on another host, and any other picture would look like one. */
export function renderVideoPanel(panel: Panel, kind: string): Html {
  const { id, title = '' } = panel.reply.body.item ?? {}
  const url = messageOf(panel.reply)
  return html`
<section class="panel peachy" data-panel="video" data-kind="${kind}" aria-labelledby="video-title">
<div class="video">
<div><h2 id="video-title">Random videos</h2>
<p data-video${!id && html` hidden`}><a href="${url}" rel="noreferrer"><bdi data-title>${title}</bdi></a> <span class="aside">opens <span data-host>${hostOf(url)}</span></span></p></div>
<form action="./#video-title"><button class="press" type="submit">Another video</button></form>
${renderError(panel.reply)}
</div>
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

function renderNumbers(catalogue: Catalogue, uptime: Uptime, version: string): Html {
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

export const renderCatalogue = (catalogue: Catalogue, uptime: Uptime, version: string): Html => html`
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
${renderNumbers(catalogue, uptime, version)}
</section>`
