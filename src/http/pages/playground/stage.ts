import { type Html, html } from '../shared/html.ts'

/** Before and after, with a divider that is a slider: it drags, and takes the arrow keys, by itself. */
export const stage = (before: string, after: string): Html => html`
<div class="stage">
<div class="compare" data-compare>
<img class="before" data-before alt="Before" hidden>
<img class="after" data-after alt="After" hidden>
<input class="divider" type="range" min="0" max="100" value="50" step="1" aria-label="Divider between before and after" data-divider hidden>
<span class="handle" aria-hidden="true"></span>
<p class="aside" data-nothing hidden>No picture to show.</p>
<p class="waiting" data-waiting hidden>Filtering …</p>
<noscript><img src="${before}" alt="Before" width="512"><img src="${after}" alt="After; where it is missing, the link below says why" width="512"></noscript>
</div>
<div class="trouble" role="alert" data-trouble></div>
<p class="without-script"><a href="${after}">The reply by itself</a></p>
<dl class="facts script-only" data-facts></dl>
</div>`
