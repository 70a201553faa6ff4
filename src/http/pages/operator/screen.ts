import { type Html, html } from '../shared/html.ts'
import { chart, charts } from './charts.ts'
import { people } from './people.ts'

const downloads = html`
<section class="card" aria-labelledby="downloads-title" data-part="downloads">
<div class="bar"><h2 id="downloads-title">Downloads</h2>
<fieldset class="choices small" data-application hidden><legend class="unseen">Application</legend></fieldset></div>
${chart('downloads', 'By day', 'the last 30 days, UTC')}
<p class="trouble" role="alert" data-trouble></p>
<button class="second" type="button" data-csv>All as CSV</button>
</section>`

const groups = html`
<section class="card" aria-labelledby="groups-title" data-part="groups">
<h2 id="groups-title">Who asks for what</h2>
<div data-list></div>
</section>`

const published = html`
<section class="card" aria-labelledby="published-title" data-part="content">
<div class="bar"><h2 id="published-title" tabindex="-1">Published</h2>
<button class="second" type="button" data-reload data-writing hidden>Read all files again</button></div>
<p class="trouble" role="alert" data-trouble></p>
<div data-list></div>
</section>`

const health = html`
<section class="card" aria-labelledby="health-title" data-part="health">
<h2 id="health-title">Health</h2>
<div data-list></div>
</section>`

const dialogs = html`
<dialog data-confirm aria-labelledby="confirm-title"><h2 id="confirm-title" data-title></h2><p data-text></p>
<div class="buttons"><button class="second" type="button" data-no>Cancel</button> <button class="press quiet" type="button" data-yes></button></div></dialog>
<dialog data-key aria-labelledby="key-title"><h2 id="key-title" data-title></h2>
<p>Shown this once, and kept only as a hash. Send it to <bdi data-contact></bdi>.</p>
<pre><code data-secret></code></pre>
<div class="buttons"><button class="press quiet" type="button" data-copy>Copy the key</button> <button class="second" type="button" data-done>Done</button></div></dialog>`

/** What is seen after signing in; the script fills it. */
export const screen = (): Html => html`
<div class="screen" data-screen hidden>
<section class="verdict" aria-labelledby="verdict" data-part="problems">
<div class="bar"><h2 id="verdict" data-verdict>Looking …</h2><span class="aside" data-since></span></div>
<div data-list></div>
</section>
<dl class="tiles" data-tiles></dl>
${charts()}
<div class="pair">${groups}${downloads}</div>
${people()}
<div class="pair">${published}${health}</div>
${dialogs}
</div>`
