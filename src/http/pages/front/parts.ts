import { exchangeView } from '../shared/exchange-view.ts'
import { type Html, html } from '../shared/html.ts'
import type { OwnReply } from '../shared/own-reply.ts'
import { shownJson } from '../shared/shown-json.ts'
import { jsonSnippets } from '../shared/snippets.ts'

export interface Panel {
  readonly name: 'animal' | 'kaomoji' | 'eightball' | 'video'
  readonly base: string
  readonly asked: OwnReply
}

/** The very request and reply of a panel. */
export const exchangeOf = ({ name, base, asked }: Panel, more?: Html): Html =>
  exchangeView({
    name,
    snippets: jsonSnippets(`${base}/${asked.path}`),
    status: String(asked.status),
    reply: shownJson(asked.body),
    ...(more && { more }),
  })

/** Where a panel says what is wrong; said already where the first reply was an error. */
export const trouble = ({ status, body }: OwnReply): Html =>
  html`<p class="trouble" role="alert" data-trouble>${status !== 200 && String(body.message)}</p>`

export const messageOf = ({ status, body }: OwnReply): string => (status === 200 ? String(body.message) : '')

/** A picture's URL as an address relative to the page. */
export const pictureAt = (url: string, base: string): string => url.slice(base.length + 1)

/** Links that choose a kind; with a script they change the panel, without they load the page again. */
export const kindChooser = (parameter: string, label: string, kinds: readonly string[], chosen: string): Html => html`
<nav class="kinds" aria-label="${label}"><ul data-kinds="${parameter}">${kinds.map(
  (kind) =>
    html`<li><a href="?${parameter}=${kind}#${parameter}-title" data-kind="${kind}"${kind === chosen && html` aria-current="true"`}>${kind}</a></li>`,
)}</ul></nav>`
