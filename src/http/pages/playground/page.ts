import Type from 'typebox'
import { UnknownKind } from '../../../errors/index.ts'
import type { Content } from '../../../features/content/index.ts'
import { filters, findFilter, type StrengthRange } from '../../../features/filters/index.ts'
import { filterNames } from '../../api/filters/endpoint.ts'
import { cache } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { get, type Route } from '../../kernel/route.ts'
import { type Html, html } from '../shared/html.ts'
import type { RequestInternally } from '../shared/internal-request.ts'
import type { Layout } from '../shared/layout.ts'
import { renderRequestExample } from '../shared/request-example.ts'
import { imageSnippets } from '../shared/snippets.ts'
import { findOwnMedia } from './own-media.ts'

interface PlaygroundOptions {
  readonly content: Content
  readonly ask: RequestInternally
  readonly layout: Layout
}

const MAX_SAMPLES = 8

const filterPath = (filter: string, image: string, strength: string) =>
  `api/v2/filter/${filter}?${new URLSearchParams({ image, ...(strength && { strength }) })}`

/** Loads an image of another host through the service, because the page may not contact other hosts. Strength 0 changes nothing. */
const UNCHANGED = 'api/v2/filter/contrast?strength=0&image='

const description = 'Initial value of this form field.'

const renderUnknownFilter = (name: string, shown: string) =>
  html`<p class="trouble" data-unknown>${new UnknownKind('filter', name, filterNames).message} Showing ${shown} instead.</p>`

/** The form state is in the URL, so that it can be shared and works without a script. */
export function playgroundRoute({ content, ask, layout }: PlaygroundOptions): Route {
  async function pickSamples(ctx: RequestContext): Promise<Sample[]> {
    const kinds = content.kinds('animals').slice(0, MAX_SAMPLES)
    const replies = await Promise.all(kinds.map(async (kind) => ({ kind, reply: await ask('animal', kind, ctx) })))
    return replies
      .filter(({ reply }) => reply.status === 200)
      .map(({ kind, reply: { body } }) => ({ kind, url: String(body.message), alt: body.item?.alt ?? kind }))
  }

  return get(
    '/playground',
    {
      tag: 'Pages',
      summary: 'Filter playground',
      query: {
        image: Type.String({ description }),
        filter: Type.String({ description }),
        strength: Type.String({ description }),
      },
      otherTypes: ['text/html'],
    },
    async (ctx) => {
      const { query, baseUrl: base } = ctx
      const samples = await pickSamples(ctx)
      const known = findFilter(query.filter ?? '')
      const choice: Choice = {
        image: query.image ?? samples[0]?.url ?? '',
        filter: (known ?? filters[0])?.name ?? '',
        strength: query.strength ?? '',
      }
      const before = findOwnMedia(choice.image, base) ?? UNCHANGED + encodeURIComponent(choice.image)
      const after = filterPath(choice.filter, choice.image, choice.strength)
      const body = html`
<section class="playground" data-unchanged="${UNCHANGED}" aria-labelledby="playground-title">
<header><h1 id="playground-title">Filter playground</h1>
<p class="lead">Apply a filter to any image with a public URL, and copy the request.</p>
${query.filter && !known && renderUnknownFilter(query.filter, choice.filter)}</header>
${renderForm(choice, samples, base)}
${renderComparison(before, after)}
<div class="made">
<h2>The request</h2>
${renderRequestExample({ name: 'filter', snippets: imageSnippets(`${base}/${after}`), status: '', reply: '' })}
<button class="press script-only" type="button" data-copy-url>Copy URL</button>
</div>
</section>`
      return layout({
        path: 'playground',
        title: 'Menagerie: filter playground',
        description: `Filters for any image with a public URL: ${filterNames.join(', ')}.`,
        script: 'playground.js',
        body,
        base,
        cache: cache.none,
      })
    },
  )
}

interface Choice {
  readonly image: string
  readonly filter: string
  /** Text from the query; the API validates it. */
  readonly strength: string
}

interface Sample {
  readonly kind: string
  readonly url: string
  readonly alt: string
}

/** Whole pixels for wide ranges, hundredths for narrow ones. */
const chooseStep = ({ min, max }: StrengthRange) => (max - min > 10 ? 1 : 0.01)

const renderRange = (strength: StrengthRange | undefined): Html =>
  strength
    ? html` data-min="${strength.min}" data-max="${strength.max}" data-default="${strength.default}" data-step="${chooseStep(strength)}"`
    : html``

const RANGES = filters
  .flatMap(({ name, strength }) => (strength ? [`${name} takes ${strength.min} to ${strength.max}`] : []))
  .join(', ')

const renderForm = ({ image, filter, strength }: Choice, samples: readonly Sample[], base: string): Html => html`
<form class="tools" action="playground" data-tools novalidate>
<div class="field">
<label for="image">Image URL</label>
<input id="image" name="image" type="url" inputmode="url" autocomplete="off" spellcheck="false" value="${image}">
<p class="aside" id="samples">or one of these animals</p>
<ul class="samples" aria-labelledby="samples">${samples.map(
  ({ kind, url, alt }) => html`
<li><a href="playground?image=${encodeURIComponent(url)}&amp;filter=${filter}" data-sample="${url}" title="${kind}"${url === image && html` aria-current="true"`}><img src="${url.slice(base.length + 1)}" alt="${alt}" width="512" height="512"></a></li>`,
)}</ul>
</div>
<fieldset class="field choices"><legend>Filter</legend>${filters.map(
  ({ name, summary, strength: range }) => html`
<label title="${summary}"><input type="radio" name="filter" value="${name}"${renderRange(range)}${name === filter && html` checked`}><span>${name}</span></label>`,
)}
<p class="aside script-only" data-summary></p>
</fieldset>
<div class="field" data-strength>
<label for="strength">Strength</label>
<div class="strength"><input class="script-only" type="range" aria-label="Strength slider" data-slider>
<input id="strength" name="strength" type="text" inputmode="decimal" autocomplete="off" value="${strength}" aria-describedby="range"></div>
<p class="aside" id="range" data-range>${RANGES}; empty means the default. Other filters have no strength.</p>
</div>
<button class="press without-script" type="submit">Apply filter</button>
</form>`

/** The image before and after. The divider is a range input, so it works by mouse, touch and arrow keys. */
const renderComparison = (before: string, after: string): Html => html`
<div class="stage">
<div class="compare" data-compare>
<img class="before" data-before alt="Before" hidden>
<img class="after" data-after alt="After" hidden>
<input class="divider" type="range" min="0" max="100" value="50" step="1" aria-label="Divider between before and after" data-divider hidden>
<span class="handle" aria-hidden="true"></span>
<p class="aside" data-nothing hidden>No image to show.</p>
<p class="waiting" data-waiting hidden>Filtering …</p>
<noscript><img src="${before}" alt="Before" width="512"><img src="${after}" alt="After. If it is missing, the link below shows the error." width="512"></noscript>
</div>
<div class="trouble" role="alert" data-trouble></div>
<p class="without-script"><a href="${after}">Open the reply</a></p>
<dl class="details script-only" data-details></dl>
</div>`
