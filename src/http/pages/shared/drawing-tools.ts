import {
  AVATAR_SIZES,
  BACKGROUNDS,
  buildChoicePath,
  buildDrawingPath,
  buildFileName,
  buildSharePath,
  DEFAULT_SIZE,
  type DrawingChoice,
} from './drawing-url.ts'
import { type Html, html } from './html.ts'

interface DrawingView {
  readonly choice: DrawingChoice
  /** What the drawing shows. */
  readonly alt: string
  /** From the page to the root of the service. */
  readonly root: string
}

export const renderDrawing = ({ choice, alt, root }: DrawingView): Html => html`
<div class="drawing" data-background="${choice.background}" data-drawing>
<img src="${root}${buildDrawingPath({ ...choice, size: DEFAULT_SIZE }, 'svg')}" alt="${alt}" width="512" height="512">
</div>
<p class="problem" role="alert" data-drawing-problem></p>`

const BACKGROUND_LABELS: Readonly<Record<(typeof BACKGROUNDS)[number], string>> = { scene: 'Scene', none: 'Sticker' }

interface ToolsView extends DrawingView {
  readonly base: string
  /** Whether the page is the share page of the drawing. */
  readonly isSharePage?: boolean
}

/** Sizes and backgrounds are links: they change the page with a script, and load it without one. */
export function renderDrawingTools({ choice, root, base, isSharePage }: ToolsView): Html {
  const { kind, name } = choice
  const renderOption = (option: Partial<DrawingChoice>, label: string | number) => {
    const [key = '', value = ''] = Object.entries(option)[0] ?? []
    const isCurrent = choice[key as keyof DrawingChoice] === value
    return html`<li><a href="${root}${buildChoicePath({ ...choice, ...option })}#drawing" data-option="${key}" data-value="${value}"${isCurrent && html` aria-current="true"`}>${label}</a></li>`
  }
  const renderDownload = (type: 'png' | 'svg') => html`
<li><a class="plain" href="${root}${buildDrawingPath(choice, type)}" download="${buildFileName(choice, type)}" data-download="${type}"><span class="visually-hidden">Download </span>${type.toUpperCase()}</a></li>`
  const renderCopy = (what: string, label: string) => html`
<li><button class="plain" type="button" data-copy="${what}"><span class="visually-hidden">Copy </span>${label}</button></li>`
  return html`
<div class="drawing-tools" data-tools data-kind="${kind}" data-name="${name}" data-size="${choice.size}" data-background="${choice.background}" data-root="${root}">
<div class="options" role="group" aria-labelledby="size-label"><p id="size-label">Size</p>
<ul>${AVATAR_SIZES.map((size) => renderOption({ size }, size))}</ul></div>
<div class="options" role="group" aria-labelledby="background-label"><p id="background-label">Background</p>
<ul>${BACKGROUNDS.map((background) => renderOption({ background }, BACKGROUND_LABELS[background]))}</ul></div>
<textarea class="url" rows="2" readonly spellcheck="false" aria-label="URL of the picture" data-link>${base}/${buildDrawingPath(choice, 'png')}</textarea>
<ul class="actions">
<li class="script-only"><button class="press" type="button" data-copy="link">Copy image URL</button></li>
${isSharePage ? html`<li class="script-only"><button class="second" type="button" data-copy="page">Copy page URL</button></li>` : html`<li><a class="second" href="${root}${buildSharePath(kind, name)}" data-share>Share page</a></li>`}
</ul>
<div class="more">
<div role="group" aria-labelledby="download-label"><p id="download-label">Download</p><ul>${renderDownload('png')}${renderDownload('svg')}</ul></div>
<div class="script-only" role="group" aria-labelledby="embed-label"><p id="embed-label">Copy as</p><ul>${renderCopy('html', 'HTML')}${renderCopy('markdown', 'Markdown')}</ul></div>
</div>
</div>`
}
