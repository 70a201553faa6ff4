import { type Html, html } from '../shared/html.ts'

const BAN_FOR = [
  [1, '1 hour'],
  [24, '1 day'],
  [168, '7 days'],
  [720, '30 days'],
  [8760, '1 year'],
] as const

const readOnly = html`<p class="aside" data-read-only hidden>This token may look, not act: sign in with one of the scope <code>write</code>.</p>`
const trouble = html`<p class="trouble" role="alert" data-trouble></p>`

const clients = html`
<section class="card" aria-labelledby="clients-title" data-part="clients">
<h2 id="clients-title" tabindex="-1">Client keys</h2>
${readOnly}${trouble}
<div data-list></div>
</section>`

const banForm = html`
<form class="ban" data-ban data-writing hidden novalidate autocomplete="off">
<div class="field"><label for="ban-address">Address</label>
<input id="ban-address" type="text" inputmode="text" spellcheck="false" autocapitalize="off" aria-describedby="ban-address-error">
<p class="wrong" id="ban-address-error" data-error="address"></p></div>
<div class="field"><label for="ban-reason">Reason</label>
<input id="ban-reason" type="text" aria-describedby="ban-reason-error">
<p class="wrong" id="ban-reason-error" data-error="reason"></p></div>
<div class="field"><label for="ban-hours">For</label>
<select id="ban-hours">${BAN_FOR.map(([hours, name]) => html`<option value="${hours}"${hours === 24 && html` selected`}>${name}</option>`)}</select></div>
<button class="press quiet" type="submit">Ban</button>
</form>`

const bans = html`
<section class="card" aria-labelledby="bans-title" data-part="bans">
<h2 id="bans-title" tabindex="-1">Bans</h2>
${readOnly}${trouble}
<div data-list></div>
${banForm}
</section>`

/** What the operator decides about. */
export const people = (): Html => html`<div class="pair">${clients}${bans}</div>`
