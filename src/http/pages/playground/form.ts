import { filters, type Strength } from '../../../features/filters/index.ts'
import { type Html, html } from '../shared/html.ts'

export interface Choice {
  readonly image: string
  readonly filter: string
  /** As it was given, right or wrong: the API judges it. */
  readonly strength: string
}

export interface Sample {
  readonly kind: string
  readonly url: string
  readonly alt: string
}

/** Where the values of a range are whole pixels a step of one does, else a hundredth. */
const stepOf = ({ min, max }: Strength) => (max - min > 10 ? 1 : 0.01)

const rangeOf = (strength: Strength | undefined): Html =>
  strength
    ? html` data-min="${strength.min}" data-max="${strength.max}" data-default="${strength.default}" data-step="${stepOf(strength)}"`
    : html``

const inWords = filters
  .flatMap(({ name, strength }) => (strength ? [`${name} takes ${strength.min} to ${strength.max}`] : []))
  .join(', ')

export const playgroundForm = (
  { image, filter, strength }: Choice,
  samples: readonly Sample[],
  base: string,
): Html => html`
<form class="tools" action="playground" data-tools novalidate>
<div class="field">
<label for="image">URL of a picture</label>
<input id="image" name="image" type="url" inputmode="url" autocomplete="off" spellcheck="false" value="${image}">
<p class="aside" id="samples">or one of our animals</p>
<ul class="samples" aria-labelledby="samples">${samples.map(
  ({ kind, url, alt }) => html`
<li><a href="playground?image=${encodeURIComponent(url)}&amp;filter=${filter}" data-sample="${url}" title="${kind}"${url === image && html` aria-current="true"`}><img src="${url.slice(base.length + 1)}" alt="${alt}" width="512" height="512"></a></li>`,
)}</ul>
</div>
<fieldset class="field choices"><legend>Filter</legend>${filters.map(
  ({ name, summary, strength: range }) => html`
<label title="${summary}"><input type="radio" name="filter" value="${name}"${rangeOf(range)}${name === filter && html` checked`}><span>${name}</span></label>`,
)}
<p class="aside script-only" data-summary></p>
</fieldset>
<div class="field" data-strength>
<label for="strength">Strength</label>
<div class="strength"><input class="script-only" type="range" aria-label="Strength, as a slider" data-slider>
<input id="strength" name="strength" type="text" inputmode="decimal" autocomplete="off" value="${strength}" aria-describedby="range"></div>
<p class="aside" id="range" data-range>${inWords}; empty means the default. The others take none.</p>
</div>
<button class="press without-script" type="submit">Filter it</button>
</form>`
