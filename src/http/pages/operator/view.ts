import { type Html, html } from '../shared/html.ts'

const COMMANDS = [
  ['token create <label>', html`creates a token; <code>token list</code> lists them`],
  ['clients list', html`lists key requests; <code>clients grant</code> and <code>clients refuse</code> decide`],
  ['ban list', html`lists bans; <code>ban add</code> and <code>ban lift</code> change them`],
  ['content check', html`reports problems with file and line`],
  ['release list', html`lists releases; <code>news list</code> lists news`],
  ['store status', html`reports the state of the store`],
] as const

const renderCommand = (text: string): Html =>
  html`<code class="command">${text.split(' ').map((word, n) => html`${n > 0 && ' '}<span>${word}</span>`)}</code>`

const CREATE_TOKEN = 'token create dashboard --scope write --scope publish'

/** The token form, or an explanation where others could read the token on its way. */
export const renderSignIn = (isSafe: boolean, base: string, programCall: string): Html => html`
<section class="sign-in" data-sign-in aria-labelledby="operator-title">
<div class="state warn" data-plain${isSafe && html` hidden`}>
<p><strong>TLS required.</strong> This page was loaded over plain HTTP, so others on the network could read a token that you enter here.</p>
<p>Use <code>https://</code>: put the service behind a proxy that terminates TLS, and set <code>PUBLIC_URL</code> to its
address. Or open it on the machine itself as <code>http://127.0.0.1</code>, for example through an SSH tunnel.</p>
${base.startsWith('https:') && html`<p>The address of the service is <a href="${base}/operator">${base}/operator</a>.</p>`}
</div>
<form class="script-only" data-token-form autocomplete="off" novalidate${!isSafe && html` hidden`}>
<p class="lead">Health, traffic and problems of this service, and everything that it publishes.</p>
<div class="field">
<label for="token">Token</label>
<input id="token" type="password" autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="token-hint" data-token>
<p class="aside" id="token-hint">Kept in this tab until you sign out or close it. ${renderCommand(`${programCall} ${CREATE_TOKEN}`)}
creates one. <code>write</code> is for bans and client keys, <code>publish</code> for content; without both, the token is read-only.</p>
</div>
<button class="press" type="submit">Sign in</button>
<p class="problem" role="alert" data-problem></p>
</form>
<div class="without-script">
<p class="lead">The dashboard needs JavaScript. These commands do some of its tasks:</p>
<ul class="commands">${COMMANDS.map(
  ([command, text]) => html`
<li>${renderCommand(`${programCall} ${command}`)} ${text}.</li>`,
)}
</ul>
</div>
<img src="media/animals/alpaca/~operator.svg" alt="" width="360" height="360">
</section>`

const CHARTS = [
  { name: 'requests', title: 'Requests', about: 'per second, by outcome' },
  { name: 'latency', title: 'Latency', about: 'of all replies' },
  { name: 'filters', title: 'Filters', about: 'per minute, by filter' },
  { name: 'queue', title: 'Queue', about: 'filter jobs' },
  { name: 'cache', title: 'Cache', about: 'per minute, filter replies' },
  { name: 'memory', title: 'Memory', about: 'of all workers of the node' },
] as const

const RANGES = [
  ['5', '5 minutes'],
  ['15', '15 minutes'],
  ['60', '1 hour'],
  ['d1', 'Today'],
  ['d7', '7 days'],
  ['d30', '30 days'],
  ['d90', '90 days'],
  ['d400', '400 days'],
] as const

/** The script draws the chart; the title is in the page, so that its outline is complete without it. */
const renderChart = (name: string, title: string, about: string): Html => html`
<figure class="chart" data-chart="${name}" aria-labelledby="chart-${name}">
<figcaption><h3 id="chart-${name}">${title}</h3> <span class="aside" data-about>${about}</span></figcaption>
</figure>`

const ranges = html`
<div class="bar" data-part="live"><h2 id="traffic-title">Traffic</h2>
<fieldset class="choices" data-range><legend class="visually-hidden">Time range</legend>${RANGES.map(
  ([value, name]) =>
    html`<label><input type="radio" name="range" value="${value}"${value === '5' && html` checked`}><span>${name}</span></label>`,
)}</fieldset></div>`

const renderTraffic = (): Html => html`
<section class="traffic" aria-labelledby="traffic-title">
${ranges}
<dl class="tiles" data-tiles></dl>
<div class="charts">${CHARTS.map(({ name, title, about }) => renderChart(name, title, about))}</div>
</section>`

const BAN_DURATIONS = [
  [1, '1 hour'],
  [24, '1 day'],
  [168, '7 days'],
  [720, '30 days'],
  [8760, '1 year'],
] as const

const readOnly = html`<p class="aside" data-read-only hidden>To change this, sign in with a token that has the scope <code>write</code>.</p>`
const errorLine = html`<p class="problem" role="alert" data-problem></p>`

const clients = html`
<section class="card" aria-labelledby="clients-title" data-part="clients" data-application-only hidden>
<h2 id="clients-title" tabindex="-1">Client keys</h2>
${readOnly}${errorLine}
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
<select id="ban-hours">${BAN_DURATIONS.map(([hours, name]) => html`<option value="${hours}"${hours === 24 && html` selected`}>${name}</option>`)}</select></div>
<button class="press quiet danger" type="submit">Ban</button>
</form>`

const bans = html`
<section class="card" aria-labelledby="bans-title" data-part="bans">
<h2 id="bans-title" tabindex="-1">Bans</h2>
${readOnly}${errorLine}
<div data-list></div>
${banForm}
</section>`

const saveCsv = (figures: string): Html => html`<p class="problem" role="alert" data-problem></p>
<button class="second" type="button" data-csv>Download CSV<span class="visually-hidden"> of ${figures}</span></button>`

const downloads = html`
<section class="card" aria-labelledby="downloads-title" data-part="downloads" data-application-only hidden>
<div class="bar"><h2 id="downloads-title">Downloads</h2>
<fieldset class="choices small" data-application hidden><legend class="visually-hidden">Application</legend></fieldset></div>
${renderChart('downloads', 'By day', 'the last 30 days, UTC')}
${saveCsv('downloads')}
</section>`

const adoption = html`
<section class="card" aria-labelledby="adoption-title" data-part="adoption" data-application-only hidden>
<h2 id="adoption-title" tabindex="-1">Adoption</h2>
${renderChart('adoption', 'Update checks by version', 'share per day, the last 30 days, UTC')}
<div data-list></div>
${saveCsv('adoption')}
</section>`

const USAGE = [
  ['endpoints', 'Requests by endpoint'],
  ['kinds', 'Top kinds'],
  ['filters', 'Top filters'],
  ['referrers', 'Referring sites'],
  ['agents', 'User agents'],
] as const

const renderUsage = (): Html =>
  html`${USAGE.map(
    ([name, title]) => html`
<section class="card" aria-labelledby="${name}-title" data-part="${name}">
<h2 id="${name}-title" tabindex="-1">${title}</h2>
<div data-list></div>
${name === 'endpoints' && saveCsv('the usage history')}
</section>`,
  )}`

const published = html`
<section class="card" aria-labelledby="published-title" data-part="content">
<div class="bar"><h2 id="published-title" tabindex="-1">Published</h2>
<button class="second" type="button" data-reload data-writing hidden>Reload files</button></div>
<p class="problem" role="alert" data-problem></p>
<div data-list></div>
</section>`

const health = html`
<section class="card" aria-labelledby="health-title" data-part="health">
<h2 id="health-title">Health</h2>
<div data-list></div>
</section>`

const dialogs = html`
<dialog data-confirm aria-labelledby="confirm-title"><h2 id="confirm-title" data-title></h2><p data-text></p>
<div class="buttons"><button class="second" type="button" data-no>Cancel</button> <button class="press quiet danger" type="button" data-yes></button></div></dialog>
<dialog data-key closedby="none" aria-labelledby="key-title"><h2 id="key-title" data-title></h2>
<p>Shown only once; the service stores a hash. Send it to <bdi data-contact></bdi>.</p>
<pre><code data-secret></code></pre>
<div class="buttons"><button class="press quiet" type="button" data-copy>Copy key</button> <button class="second" type="button" data-done>Done</button></div></dialog>`

/** Shown after signing in; the script fills it. */
export const renderDashboard = (programCall: string): Html => html`
<nav class="kinds views" aria-label="Dashboard" data-views hidden><ul></ul></nav>
<div class="screen" data-publishing hidden>
<p class="state warn" data-no-publish hidden>This token cannot publish. Sign in with one that has the scope <code>publish</code>:
${renderCommand(`${programCall} ${CREATE_TOKEN}`)} creates it.</p>
</div>
<div class="screen" data-screen hidden>
<section class="verdict" aria-labelledby="verdict" data-part="problems">
<div class="bar"><h2 id="verdict" data-verdict>Loading …</h2><span class="aside" data-since></span></div>
<div data-list></div>
</section>
${renderTraffic()}
${renderUsage()}
${downloads}
${adoption}
${clients}
${bans}
${published}
${health}
</div>
${dialogs}`
