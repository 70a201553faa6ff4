import { type Html, html } from '../shared/html.ts'
import { exchangeOf, kindChooser, messageOf, type Panel, pictureAt, trouble } from './parts.ts'

interface AnimalPanel extends Panel {
  readonly kinds: readonly string[]
  readonly kind: string
  readonly numbers: Html
}

const alt = ({ asked, kind }: AnimalPanel) => asked.body.item?.alt ?? `A ${kind}`

const more = ({ base, asked }: AnimalPanel) => html`
<div class="more">
<p>For a page, the same URL is the picture itself:</p>
<pre><code>&lt;img src="<span data-url>${base}/${asked.path}</span>"&gt;</code></pre>
<ul>
<li><code>?count=5</code> several at once</li>
<li><code>?seed=today</code> the same one for everybody</li>
<li><code>?type=png</code> of this type only</li>
</ul>
</div>`

export const animalPanel = (panel: AnimalPanel): Html => html`
<section class="hero" data-panel="animal" aria-labelledby="animal-title">
<div class="hero-words">
<h1 id="animal-title">Small animals,<br>one request away.</h1>
<p class="lead">Random animals, kaomoji, 8ball answers and videos, and filters for any picture with a URL.
No key, no sign-up: ask, and it answers.</p>
${kindChooser('animal', 'Kind of animal', panel.kinds, panel.kind)}
</div>
<form class="hero-picture" action="./">
<input type="hidden" name="animal" value="${panel.kind}" data-chosen>
<button class="animal" type="submit" data-next>
<img src="${pictureAt(messageOf(panel.asked), panel.base)}" alt="${alt(panel)}" width="512" height="512" fetchpriority="high">
<span class="another">Another one</span>
</button>
${trouble(panel.asked)}
</form>
${panel.numbers}
<div class="hero-exchange">${exchangeOf(panel, more(panel))}</div>
</section>`
