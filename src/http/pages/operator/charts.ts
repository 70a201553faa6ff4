import { type Html, html } from '../shared/html.ts'

const CHARTS = [
  { name: 'requests', title: 'Requests', about: 'a second, by status' },
  { name: 'latency', title: 'Latency', about: 'of all replies' },
  { name: 'filters', title: 'Filters', about: 'a minute, by filter' },
  { name: 'queue', title: 'Queue', about: 'filter jobs' },
  { name: 'cache', title: 'Cache', about: 'filter replies a minute' },
  { name: 'memory', title: 'Memory', about: 'of this process' },
] as const

const RANGES = [
  ['5', '5 minutes'],
  ['15', '15 minutes'],
  ['60', '1 hour'],
] as const

/** A chart is drawn by the script; its title is here, so that the page has its outline before. */
export const chart = (name: string, title: string, about: string): Html => html`
<figure class="chart" data-chart="${name}" aria-labelledby="chart-${name}">
<figcaption><h3 id="chart-${name}">${title}</h3> <span class="aside" data-about>${about}</span></figcaption>
</figure>`

export const charts = (): Html => html`
<section aria-labelledby="traffic-title" data-part="live">
<div class="bar"><h2 id="traffic-title">Traffic</h2>
<fieldset class="choices" data-range><legend class="unseen">Time that the charts show</legend>${RANGES.map(
  ([step, name]) =>
    html`<label><input type="radio" name="range" value="${step}"${step === '5' && html` checked`}><span>${name}</span></label>`,
)}</fieldset></div>
<div class="charts">${CHARTS.map(({ name, title, about }) => chart(name, title, about))}</div>
</section>`
