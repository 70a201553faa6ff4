import Type from 'typebox'
import { UnknownKind } from '../../../errors/index.ts'
import type { Content } from '../../../features/content/index.ts'
import { filters, findFilter, MAX_STEPS } from '../../../features/filters/index.ts'
import { filterNames } from '../../api/filters/endpoint.ts'
import { cache } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { get, type Route } from '../../kernel/route.ts'
import { type Html, html } from '../shared/html.ts'
import type { RequestInternally } from '../shared/internal-request.ts'
import type { Layout } from '../shared/layout.ts'
import { renderRequestExample } from '../shared/request-example.ts'
import { imageSnippets } from '../shared/snippets.ts'
import { buildFilterPath, buildOriginalPath, type Choice, optionNames, type StepChoice } from './choice.ts'
import { renderForm, type Sample } from './render-form.ts'

interface PlaygroundOptions {
  readonly content: Content
  readonly ask: RequestInternally
  readonly layout: Layout
}

const MAX_SAMPLES = 8

const initialValue = Type.String({ description: 'Initial value of this form field.' })

const query = {
  image: initialValue,
  steps: Type.String({ description: 'Initial filters, such as `blur:5,greyscale`.' }),
  filter: Type.String({ description: 'The only initial filter, if there are no `steps`.' }),
  strength: Type.String({ description: 'Strength of `filter`.' }),
  width: initialValue,
  height: initialValue,
  fit: initialValue,
  maxBytes: initialValue,
  output: initialValue,
  fallback: initialValue,
}

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
    { tag: 'Pages', summary: 'Filter playground', query, otherTypes: ['text/html'] },
    async (ctx) => {
      const { query, baseUrl: base } = ctx
      const samples = await pickSamples(ctx)
      const { steps, problem } = readSteps(query)
      const options = Object.fromEntries(optionNames.map((name) => [name, query[name]?.trim() ?? '']))
      const choice: Choice = { image: query.image ?? samples[0]?.url ?? '', steps, options }
      const after = buildFilterPath(choice)
      const body = html`
<section class="playground" aria-labelledby="playground-title">
<header><h1 id="playground-title">Filter playground</h1>
<p class="lead">Apply filters to any image with a public URL, and copy the request.</p>
${problem && html`<p class="problem" data-url-problem>${problem}</p>`}</header>
<div class="workbench">
<div class="results">
${renderComparison(buildOriginalPath(choice.image, base), after)}
<dl class="details script-only" data-details></dl>
</div>
${renderForm(choice, samples, base)}
</div>
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

interface StepQuery {
  readonly steps?: string | undefined
  readonly filter?: string | undefined
  readonly strength?: string | undefined
}

/** Leaves out what the form cannot show, and says so. The API validates strengths. */
function readSteps({ steps, filter = filters[0]?.name, strength }: StepQuery) {
  const text = steps ?? `${filter}:${strength ?? ''}`
  const given = text === '' ? [] : text.split(',').map(parseStep)
  const unknown = given.find(({ filter }) => !findFilter(filter))
  const known = given.filter(({ filter }) => findFilter(filter))
  const problem = unknown
    ? `${new UnknownKind('filter', unknown.filter, filterNames).message} It is left out.`
    : known.length > MAX_STEPS && `Up to ${MAX_STEPS} filters are possible. The others are left out.`
  return { steps: known.slice(0, MAX_STEPS), problem }
}

function parseStep(text: string): StepChoice {
  const [filter = '', strength] = text.trim().split(':')
  const range = findFilter(filter)?.strength
  return { filter, strength: range ? strength?.trim() || String(range.default) : '' }
}

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
<div class="problem" role="alert" data-problem></div>
<p class="without-script"><a href="${after}">Open the reply</a></p>
</div>`
