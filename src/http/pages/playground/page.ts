import Type from 'typebox'
import { UnknownKind } from '../../../errors/index.ts'
import type { Content } from '../../../features/content/index.ts'
import { filters, findFilter } from '../../../features/filters/index.ts'
import { filterNames } from '../../api/filters/endpoint.ts'
import { cache } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { get, type Route } from '../../kernel/route.ts'
import { exchangeView } from '../shared/exchange-view.ts'
import { html } from '../shared/html.ts'
import type { Layout } from '../shared/layout.ts'
import type { AskOwn } from '../shared/own-reply.ts'
import { imageSnippets } from '../shared/snippets.ts'
import { type Choice, playgroundForm, type Sample } from './form.ts'
import { stage } from './stage.ts'

interface PlaygroundParts {
  readonly content: Content
  readonly ask: AskOwn
  readonly layout: Layout
}

const MAX_SAMPLES = 8

const filterPath = (filter: string, image: string, strength: string) =>
  `api/v2/filter/${filter}?${new URLSearchParams({ image, ...(strength && { strength }) })}`

/** A picture of another host comes through this filter, which at strength 0 changes nothing: no request leaves for it. */
const UNCHANGED = 'api/v2/filter/contrast?strength=0&image='

const hint = 'What the form shows first.'

/** In the words of the API; the page shows another filter meanwhile. */
const unknownFilter = (name: string, shown: string) =>
  html`<p class="trouble" data-unknown>${new UnknownKind(name, filterNames).message} Here is ${shown} instead.</p>`

/** Tries a filter on a picture; its choices stand in its URL, so that it can be shared, and used without a script. */
export function playground({ content, ask, layout }: PlaygroundParts): Route {
  async function samplesFor(exchange: RequestContext<unknown, unknown>): Promise<Sample[]> {
    const kinds = content.kinds('animals').slice(0, MAX_SAMPLES)
    const asked = await Promise.all(kinds.map(async (kind) => ({ kind, reply: await ask('animal', kind, exchange) })))
    return asked
      .filter(({ reply }) => reply.status === 200)
      .map(({ kind, reply: { body } }) => ({ kind, url: String(body.message), alt: body.item?.alt ?? kind }))
  }

  return get(
    '/playground',
    {
      tag: 'Pages',
      summary: 'The filter playground',
      query: {
        image: Type.String({ description: hint }),
        filter: Type.String({ description: hint }),
        strength: Type.String({ description: hint }),
      },
      otherTypes: ['text/html'],
    },
    async (exchange) => {
      const { query, baseUrl: base } = exchange
      const samples = await samplesFor(exchange)
      const known = findFilter(query.filter ?? '')
      const choice: Choice = {
        image: query.image ?? samples[0]?.url ?? '',
        filter: (known ?? filters[0])?.name ?? '',
        strength: query.strength ?? '',
      }
      const own = choice.image.startsWith(`${base}/media/`)
      const before = own ? choice.image.slice(base.length + 1) : UNCHANGED + encodeURIComponent(choice.image)
      const after = filterPath(choice.filter, choice.image, choice.strength)
      const body = html`
<section class="playground" data-unchanged="${UNCHANGED}" aria-labelledby="playground-title">
<header><h1 id="playground-title">Filter playground</h1>
<p class="lead">Any picture with a public URL, a filter, and the request that does it.</p>
${query.filter && !known && unknownFilter(query.filter, choice.filter)}</header>
${playgroundForm(choice, samples, base)}
${stage(before, after)}
<div class="made">
<h2>The request</h2>
${exchangeView({ name: 'filter', snippets: imageSnippets(`${base}/${after}`), status: '', reply: '' })}
<button class="press script-only" type="button" data-copy-url>Copy the URL</button>
</div>
</section>`
      return layout({
        path: 'playground',
        title: 'Menagerie: filter playground',
        description: 'Blur, greyscale, contrast, invert, dither565 and normalize, on any picture with a public URL.',
        script: 'playground.js',
        body,
        base,
        cache: cache.none,
      })
    },
  )
}
