import { type Html, html } from '../shared/html.ts'
import { exchangeOf, messageOf, type Panel, trouble } from './parts.ts'

interface VideoPanel extends Panel {
  readonly kind: string
}

/** Drawn by our artist, another one for each video: the picture of the video itself is on another host. */
const poster = (id: string) => `media/animals/cat/~${id.replace(/[^\w-]/g, '').slice(0, 64) || 'video'}.svg`

export function videoPanel(panel: VideoPanel): Html {
  const { id = '', title = '' } = panel.asked.body.item ?? {}
  return html`
<section class="panel peachy" data-panel="video" data-kind="${panel.kind}" aria-labelledby="video-title">
<div>
<h2 id="video-title">A video, perhaps</h2>
<a class="video" data-video href="${messageOf(panel.asked)}" rel="noreferrer"${!id && html` hidden`}>
<span class="video-picture"><img src="${poster(id)}" alt="" width="512" height="512" loading="lazy"></span>
<span class="video-words"><bdi data-title>${title}</bdi><small>Opens on another site</small></span>
</a>
<form action="./#video-title"><button class="press" type="submit" data-next>Another video</button></form>
${trouble(panel.asked)}
</div>
${exchangeOf(panel)}
</section>`
}
