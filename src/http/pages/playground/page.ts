import Type from 'typebox'
import { UnknownKind } from '../../../errors/index.ts'
import type { Content } from '../../../features/content/index.ts'
import { filters, findFilter, MAX_STEPS } from '../../../features/filters/index.ts'
import { filterNames } from '../../api/filters/endpoint.ts'
import { cache } from '../../kernel/replies.ts'
import { get, type Route } from '../../kernel/route.ts'
import type { Assets } from '../shared/assets.ts'
import { type Html, html } from '../shared/html.ts'
import type { Layout } from '../shared/layout.ts'
import { renderRequestExample } from '../shared/request-example.ts'
import { imageSnippets } from '../shared/snippets.ts'
import { buildFilterPath, buildOriginalPath, type Choice, optionNames, type StepChoice } from './choice.ts'
import { renderForm } from './render-form.ts'
import { createSampleList } from './samples.ts'
import { WORKER_POLICY } from './worker-tasks.ts'

interface PlaygroundOptions {
  readonly content: Content
  readonly assets: Assets
  readonly layout: Layout
}

const initialValue = Type.String({ description: 'Initial value of this form field.' })

const query = {
  image: initialValue,
  steps: Type.String({ description: 'Initial filters, such as `blur:5,greyscale`.' }),
  filter: Type.String({ description: 'Initial filter, if `steps` is missing.' }),
  strength: Type.String({ description: 'Strength of `filter`.' }),
  width: initialValue,
  height: initialValue,
  fit: initialValue,
  maxBytes: initialValue,
  output: initialValue,
  fallback: initialValue,
}

/** The form state is in the URL, so that it can be shared and works without a script. */
export function playgroundRoute({ content, assets, layout }: PlaygroundOptions): Route {
  const listSamples = createSampleList(content)
  return get('/playground', {
    tag: 'Pages',
    summary: 'Filter playground',
    description: 'Applies filters to an image, and shows the URL of the result. The parameters fill in the form.',
    query,
    otherTypes: ['text/html'],
    hasEtag: false,
    handle: async ({ query, baseUrl: base }) => {
      const samples = listSamples()
      const { steps, problem } = readSteps(query)
      const options = Object.fromEntries(optionNames.map((name) => [name, query[name]?.trim() ?? '']))
      const choice: Choice = { image: query.image ?? (samples[0] ? `${base}/${samples[0].path}` : ''), steps, options }
      const after = buildFilterPath(choice)
      const body = html`
<section class="playground" aria-labelledby="playground-title" data-worker="site/${await assets.urlOf('playground-worker.js')}">
<header><h1 id="playground-title">Filter playground</h1>
<p class="lead">Apply filters to any image, and copy the URL of the result.</p>
<p class="offline" role="status" data-offline></p>
${problem && html`<p class="problem" data-url-problem>${problem}</p>`}</header>
<div class="workbench">
<div class="results">
${renderComparison(buildOriginalPath(choice.image, base), after)}
${renderResult(`${base}/${after}`, after)}
<dl class="details script-only" data-details></dl>
</div>
${renderForm(choice, samples, base)}
</div>
<div class="made" data-request>
<h2>The request</h2>
${renderRequestExample({ name: 'filter', snippets: imageSnippets(`${base}/${after}`), status: '', reply: '' })}
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
        trustedTypes: WORKER_POLICY,
      })
    },
  })
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

/**
 * The image before and after. The divider is a range input, so it works by mouse, touch and arrow keys. The card takes
 * the shape of the image. Above the form, the stage keeps its size, so that the form does not move.
 */
const renderComparison = (before: string, after: string): Html => html`
<div class="stage" aria-busy="true" data-stage>
<div class="compare" data-compare hidden>
<img class="before" data-before alt="Before" hidden>
<img class="after" data-after alt="After" hidden>
<input class="divider" type="range" min="0" max="100" value="50" step="1" aria-label="Divider between before and after" data-divider hidden>
<span class="handle" aria-hidden="true"></span>
</div>
<p class="aside" data-nothing hidden>No image to show.</p>
<p class="waiting" data-waiting hidden>Filtering …</p>
<noscript><img src="${before}" alt="Before" width="512"><img src="${after}" alt="After. If it is missing, the link below shows the error." width="512"></noscript>
<div class="problem" role="alert" data-problem></div>
</div>`

const renderResult = (url: string, path: string): Html => html`
<div class="result">
<label class="visually-hidden" for="result-url">URL of the filtered image</label>
<textarea class="url" id="result-url" rows="3" readonly spellcheck="false" data-result-url>${url}</textarea>
<p class="file-note" role="status" data-file-note hidden></p>
<button class="press script-only" type="button" data-copy-url>Copy URL</button>
<a class="press download script-only" download data-download hidden>Download</a>
<a class="without-script" href="${path}">Open the reply</a>
</div>`
