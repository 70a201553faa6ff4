import { type Html, html } from './html.ts'
import type { Snippet } from './snippets.ts'

interface View {
  /** Unlike that of any other on the page. */
  readonly name: string
  readonly snippets: readonly Snippet[]
  /** Left out where no reply is shown. */
  readonly status?: string
  readonly reply?: string
  /** Below the request. */
  readonly more?: Html
}

/** A request in several languages, and its reply. Choosing a language needs no script: it is a radio button. */
export const exchangeView = ({ name, snippets, status, reply, more }: View): Html => html`
<div class="exchange">
<div class="exchange-bar">
<fieldset class="languages"><legend class="unseen">Language of the example</legend>${snippets.map(
  (snippet, nth) => html`
<label><input type="radio" name="language-${name}" value="${snippet.language}"${nth === 0 && html` checked`}><span>${snippet.name}</span></label>`,
)}
</fieldset>
<button class="copy script-only" type="button" data-copy-code>Copy<span class="unseen"> the request</span></button>
</div>
${snippets.map(({ language, code }) => html`<pre data-language="${language}"><code>${code}</code></pre>`)}
${more}
${
  reply !== undefined &&
  html`<p class="exchange-status"><span class="unseen">Reply: </span><span data-status>${status}</span></p>
<pre class="reply"><code data-reply>${reply}</code></pre>`
}
</div>`
