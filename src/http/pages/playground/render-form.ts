import { artistKinds } from '../../../features/content/index.ts'
import { type Filter, filters, MAX_STEPS, type StrengthRange } from '../../../features/filters/index.ts'
import { fits, outputFormats } from '../../../features/images/index.ts'
import { type Html, html } from '../shared/html.ts'
import { buildPlaygroundPath, type Choice, type OptionName, optionNames, type StepChoice } from './choice.ts'
import type { Sample } from './samples.ts'
import { THUMBNAIL_SIDE } from './worker-tasks.ts'

export const renderForm = (choice: Choice, samples: readonly Sample[], base: string): Html => html`
<form class="tools" action="playground" autocomplete="off" data-tools novalidate>
<div class="field">
<label for="image">Image URL</label>
<input id="image" name="image" type="url" inputmode="url" spellcheck="false" value="${choice.image}">
<p class="aside" id="samples">or one of these animals</p>
<ul class="samples" aria-labelledby="samples">${samples.map((sample) => renderSample(sample, choice, base))}</ul>
<p class="file script-only"><label class="second"><input class="visually-hidden" type="file" accept="image/*" data-file>Choose a file</label>
<span class="aside">or drop or paste one. It is filtered in your browser: nothing is uploaded.</span></p>
</div>
${renderSteps(choice.steps)}
${renderOptions(choice.options)}
<button class="press without-script" type="submit">Apply</button>
</form>`

function renderSample({ kind, path, thumbnailPath, alt }: Sample, choice: Choice, base: string): Html {
  const url = `${base}/${path}`
  return html`
<li><a href="${buildPlaygroundPath({ ...choice, image: url })}" data-sample="${url}" title="${kind}"${url === choice.image && html` aria-current="true"`}><img src="${thumbnailPath}" alt="${alt}" width="128" height="128"></a></li>`
}

/** The choices show and change the filter of the selected step. They are not checked here, so no form sends them. */
const renderSteps = (steps: readonly StepChoice[]): Html => html`
<fieldset class="field script-only" data-chain><legend>Filters</legend>
<p class="aside" data-hint></p>
<div class="choices-of-filter" role="radiogroup" data-choices>${filters.map(renderFilterChoice)}</div>
<p class="aside" data-note></p>
<ol class="steps" role="list" data-steps data-max="${MAX_STEPS}">${steps.map(renderStep)}</ol>
<p class="aside" data-no-steps${steps.length > 0 && html` hidden`}>No filter: the size and format still apply.</p>
<button class="second" type="button" data-add>Add a filter</button>
<template data-step-template>${renderStep({ filter: '', strength: '' })}</template>
</fieldset>
<div class="field without-script">
<label for="steps">Filters</label>
<input id="steps" name="steps" type="text" spellcheck="false" value="${steps.map(formatStep).join(',')}" aria-describedby="steps-help">
<p class="aside" id="steps-help">Up to ${MAX_STEPS}, separated by commas: ${filters.map(describeSyntax).join(', ')}.</p>
</div>`

const formatStep = ({ filter, strength }: StepChoice) => (strength ? `${filter}:${strength}` : filter)

const describeSyntax = ({ name, strength }: Filter) =>
  strength ? `${name}:${strength.default} (${strength.min} to ${strength.max})` : name

/** The script draws the chosen image with the filter. */
const renderFilterChoice = (filter: Filter): Html => html`
<label class="filter-choice"><input type="radio" name="filter-of-step" value="${filter.name}" data-note="${describeFilter(filter)}"${filter.strength && renderRange(filter.strength)}><canvas width="${THUMBNAIL_SIDE}" height="${THUMBNAIL_SIDE}" aria-hidden="true"></canvas><span>${filter.name}</span></label>`

const describeFilter = ({ summary, strength }: Filter): string =>
  strength ? `${summary} Strength: ${strength.min} to ${strength.max}, default ${strength.default}.` : summary

const renderRange = ({ min, max, default: standard }: StrengthRange): Html =>
  html` data-min="${min}" data-max="${max}" data-default="${standard}"`

/** The script sets the labels, because they contain the position. */
const renderStep = ({ filter, strength }: StepChoice): Html => html`
<li class="step" data-step data-filter="${filter}">
<div class="step-bar">
<button class="step-name" type="button" data-select>${filter}</button>
<button class="icon" type="button" data-move="up"><span aria-hidden="true">↑</span></button>
<button class="icon" type="button" data-move="down"><span aria-hidden="true">↓</span></button>
<button class="icon" type="button" data-remove><span aria-hidden="true">✕</span></button>
</div>
<div class="strength" data-strength hidden><input type="range" data-slider>
<input type="text" inputmode="decimal" value="${strength}" data-value></div>
</li>`

interface OptionField {
  readonly label: string
  /** The placeholder, or the text of the choice that sends no parameter. */
  readonly empty: string
  readonly values?: readonly string[]
}

const OPTION_FIELDS: Readonly<Record<OptionName, OptionField>> = {
  width: { label: 'Width', empty: 'pixels' },
  height: { label: 'Height', empty: 'pixels' },
  fit: { label: 'Fit', empty: 'inside', values: fits.filter((fit) => fit !== 'inside') },
  maxBytes: { label: 'Maximum bytes', empty: 'no limit' },
  output: { label: 'Format', empty: 'as source', values: outputFormats },
  fallback: { label: 'Fallback animal', empty: 'none', values: artistKinds },
}

const renderOptions = (options: Choice['options']): Html => html`
<details class="options"${optionNames.some((name) => options[name]) && html` open`}><summary>Size and format</summary>
<div class="option-fields">${optionNames.map((name) => renderOption(name, OPTION_FIELDS[name], options[name] ?? ''))}</div>
<p class="aside">An image is resized before it is filtered, and never enlarged. With width and height, cover crops and
contain pads. The fallback animal is drawn if the source fails.</p>
<p class="aside" data-local-options hidden>For a file on your device, your browser resizes and encodes: fit, maximum bytes
and fallback need an image URL, and the formats are png, jpeg and webp.</p>
</details>`

const renderOption = (name: OptionName, { label, empty, values }: OptionField, value: string): Html => html`
<div class="field"><label for="${name}">${label}</label>${
  values
    ? html`<select id="${name}" name="${name}"><option value="">${empty}</option>${values.map(
        (each) => html`<option${each === value && html` selected`}>${each}</option>`,
      )}</select>`
    : html`<input id="${name}" name="${name}" type="text" inputmode="numeric" placeholder="${empty}" value="${value}">`
}</div>`
