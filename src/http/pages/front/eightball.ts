import { type Html, html } from '../shared/html.ts'
import { exchangeOf, messageOf, type Panel, trouble } from './parts.ts'

// The field has no name: a browser without script does not send the question either.
export const eightballPanel = (panel: Panel): Html => html`
<section class="panel dusky" data-panel="eightball" aria-labelledby="eightball-title">
<div>
<h2 id="eightball-title">Ask the 8ball</h2>
<form class="question" action="./#eightball-title">
<label for="question">Your question <span class="aside">stays in this window</span></label>
<div><input id="question" type="text" autocomplete="off" placeholder="Will it rain fish?">
<button class="press" type="submit" data-next>Ask</button></div>
</form>
<div class="ball" data-ball><span class="ball-window"><output data-answer>${messageOf(panel.asked)}</output></span></div>
${trouble(panel.asked)}
</div>
${exchangeOf(panel)}
</section>`
