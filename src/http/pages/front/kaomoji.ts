import { type Html, html } from '../shared/html.ts'
import { exchangeOf, kindChooser, type Panel, trouble } from './parts.ts'

export const KAOMOJI_SHOWN = 12

interface KaomojiPanel extends Panel {
  readonly kinds: readonly string[]
  readonly kind: string
}

const texts = ({ asked }: Panel) => (asked.status === 200 ? [asked.body.message].flat() : [])

export const kaomojiPanel = (panel: KaomojiPanel): Html => html`
<section class="panel leafy" data-panel="kaomoji" aria-labelledby="kaomoji-title">
<div>
<h2 id="kaomoji-title">Kaomoji</h2>
<p class="script-only">Click one, and it is in your clipboard.</p>
${kindChooser('kaomoji', 'Kind of kaomoji', panel.kinds, panel.kind)}
<ul class="kaomoji" data-list data-count="${KAOMOJI_SHOWN}">${texts(panel).map((text) => html`<li><bdi>${text}</bdi></li>`)}</ul>
<form action="./#kaomoji-title"><input type="hidden" name="kaomoji" value="${panel.kind}" data-chosen>
<button class="press" type="submit" data-next>More of them</button></form>
${trouble(panel.asked)}
</div>
${exchangeOf(panel)}
</section>`
