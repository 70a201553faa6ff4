import { hash } from 'node:crypto'
import { type AnimalKind, artistKinds } from '../../../../packages/artist/src/index.ts'
import type { ApiError } from '../../../errors/index.ts'
import { buildErrorBody } from '../../kernel/error-replies.ts'
import { NAVIGATION_HEADERS } from '../../kernel/input.ts'
import { cache, type Reply } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import type { Route } from '../../kernel/route.ts'
import { describeDrawing } from '../shared/describe-drawing.ts'
import { buildDrawingPath, DEFAULT_SIZE } from '../shared/drawing-url.ts'
import { formatJson } from '../shared/format-json.ts'
import { type Html, html } from '../shared/html.ts'
import type { Layout } from '../shared/layout.ts'
import { findNearest } from './find-nearest.ts'

/**
 * Numbers of drawings that show one animal and look good. Few, so that a flood of unknown paths finds all drawings in
 * the cache.
 */
const LOST_ANIMALS: Readonly<Record<AnimalKind, readonly number[]>> = {
  cat: [2, 3, 5, 6],
  dog: [0, 1, 3, 5],
  fox: [4, 5, 6, 7],
  fish: [0, 5, 6, 7],
  alpaca: [0, 3, 6, 7],
  bird: [1, 3, 5, 7],
}
const MAX_SHOWN_LENGTH = 120
/** Deeper than any page. The links of a deeper page start at the root of the host. */
const MAX_DEPTH = 16

const LINKS = [
  ['', 'Front page'],
  ['docs/guides', 'Guides'],
  ['docs', 'API reference'],
  ['playground', 'Playground'],
] as const

type RenderErrorPage = (ctx: RequestContext, error: ApiError) => Promise<Reply> | undefined

/** The page of a 404: an animal that got lost, and the way back. Endpoints below /api reply with JSON to browsers, too. */
export function createNotFoundPage(layout: Layout, routes: readonly Route[]): RenderErrorPage {
  const pages = listPages(routes)

  return (ctx, error) => {
    if (error.status !== 404 || ctx.match?.route.path.startsWith('/api/')) return undefined
    const path = ctx.url.split(/[?#]/, 1)[0] ?? ''
    const suggestion = findNearest(path, pages) ?? (error.details as { suggestion?: string }).suggestion
    const depth = path.split('/').length - 2
    const root = depth > MAX_DEPTH ? '/' : '../'.repeat(Math.max(depth, 0)) || './'
    return layout({
      path: 'not-found',
      title: 'Menagerie: page not found',
      description: 'There is no page at this address.',
      body: renderBody({ path, suggestion, root, reply: formatJson(buildErrorBody(error, ctx.id)) }),
      card: html`<meta name="robots" content="noindex">`,
      base: ctx.baseUrl,
      root,
      status: 404,
      cache: cache.none,
      headers: ['Vary', NAVIGATION_HEADERS],
    })
  }
}

const listPages = (routes: readonly Route[]) =>
  routes
    .filter(
      ({ path, method, otherTypes }) => method === 'GET' && otherTypes?.includes('text/html') && !/[:*]/.test(path),
    )
    .map(({ path }) => path)

interface NotFoundPage {
  readonly path: string
  readonly suggestion: string | undefined
  readonly root: string
  readonly reply: string
}

function renderBody({ path, suggestion, root, reply }: NotFoundPage): Html {
  const { kind, name } = pickAnimal(path)
  const picture = buildDrawingPath({ kind, name, size: DEFAULT_SIZE, background: 'scene' }, 'svg')
  return html`
<section class="lost" aria-labelledby="lost-title">
<img src="${root}${picture}" alt="${describeDrawing(kind, name)}" width="512" height="512">
<div>
<p class="lost-status">404</p>
<h1 id="lost-title">This ${kind} is lost, too.</h1>
<p class="lead">There is nothing at <code>${shorten(path)}</code></p>
${suggestion !== undefined && html`<p class="lead">Did you mean <a href="${root}${suggestion.slice(1)}">${shorten(suggestion)}</a>?</p>`}
<ul class="lost-links">${LINKS.map(([to, text]) => html`<li><a href="${root}${to}">${text}</a></li>`)}</ul>
<details><summary>The JSON reply</summary>
<pre class="example"><code>${reply}</code></pre></details>
</div>
</section>`
}

/** The same path always has the same animal. */
function pickAnimal(path: string) {
  const number = hash('sha1', path, 'buffer').readUInt32BE()
  const kind = artistKinds[number % artistKinds.length]!
  const drawings = LOST_ANIMALS[kind]
  return { kind, name: `lost-${drawings[Math.floor(number / artistKinds.length) % drawings.length]}` }
}

/** Percent-encoded, as it was sent: a link cannot put lookalike letters or right-to-left text into the page. */
const shorten = (path: string) => (path.length > MAX_SHOWN_LENGTH ? `${path.slice(0, MAX_SHOWN_LENGTH)}…` : path)
