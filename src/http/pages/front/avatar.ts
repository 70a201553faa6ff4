import { type AnimalKind, artistKinds } from '../../../../packages/artist/src/index.ts'
import { describeDrawing } from '../shared/describe-drawing.ts'
import { renderDrawing, renderDrawingTools } from '../shared/drawing-tools.ts'
import { DEFAULT_SIZE, MAX_NAME_LENGTH } from '../shared/drawing-url.ts'
import { type Html, html } from '../shared/html.ts'

/** The name whose animals are shown first. */
const EXAMPLE_NAME = 'Ada'
const FIRST_KIND: AnimalKind = 'fox'
/** Small WebP, because these six are part of each first visit. A typed name is drawn as SVG, which needs no rendering. */
const TILE_SIZE = 128

/** The kinds are radio buttons with pictures, so the form also works without a script. */
export function renderAvatarPanel(base: string): Html {
  const choice = { kind: FIRST_KIND, name: EXAMPLE_NAME, size: DEFAULT_SIZE, background: 'scene' }
  const view = { choice, alt: describeDrawing(FIRST_KIND, EXAMPLE_NAME), root: '', base }
  return html`
<section class="avatar sunny" data-avatar aria-labelledby="avatar-title">
<div class="avatar-words">
<h2 id="avatar-title">Your animal</h2>
<p>Every name has its own animals, one of each kind: avatars without an upload. Any text is a name.
<a href="docs/guides/avatars">How to use them</a></p>
<form action="a">
<label for="avatar-name">Name <span class="aside">becomes part of the link</span></label>
<div class="name-field"><input id="avatar-name" name="name" type="text" required maxlength="${MAX_NAME_LENGTH}" placeholder="${EXAMPLE_NAME}" autocomplete="off" autocapitalize="off" spellcheck="false" dir="auto">
<button class="press without-script" type="submit">Show it</button></div>
<fieldset class="kind-tiles tiles"><legend class="visually-hidden">Kind of animal</legend>${artistKinds.map(
    (kind) => html`
<label><input type="radio" name="kind" value="${kind}"${kind === FIRST_KIND && html` checked`}><span><img src="media/animals/${kind}/~${EXAMPLE_NAME}.webp?size=${TILE_SIZE}" alt="" width="512" height="512" loading="lazy">${kind}</span></label>`,
  )}
</fieldset>
</form>
</div>
<div id="drawing" class="avatar-picture">${renderDrawing(view)}
<p class="caption"><bdi data-caption-name>${EXAMPLE_NAME}</bdi> the <span data-caption-kind>${FIRST_KIND}</span></p></div>
${renderDrawingTools(view)}
</section>`
}
