import { filters } from '../../../features/filters/index.ts'
import { type Html, html } from '../shared/html.ts'

/** What each filter does, on the animal of the page; the browser's own filters stand in for ours. */
export const filterTiles = (picture: string): Html => html`
<section class="filters" aria-labelledby="filters-title">
<h2 id="filters-title">Filters for any picture</h2>
<p>Give the URL of a picture and the name of a filter. <a href="playground">Try it in the playground</a>.</p>
<ul>${filters.map(
  ({ name }) => html`
<li><a href="playground?filter=${name}"><span class="tile ${name}"><img src="${picture}" alt="" width="512" height="512" loading="lazy" data-tile></span>${name}</a></li>`,
)}
</ul>
</section>`
