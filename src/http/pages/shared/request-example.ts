import { type Html, html } from './html.ts'
import type { Snippet } from './snippets.ts'

interface RequestExample {
  /** Unique on the page. */
  readonly name: string
  readonly snippets: readonly Snippet[]
  /** Omit it to show no reply. */
  readonly status?: string
  readonly reply?: string
  /** The style limits the height of the reply. */
  readonly isScrollable?: boolean
}

/** A request in several languages, and its reply. The language is a radio button, so it works without a script. */
export const renderRequestExample = ({ name, snippets, status, reply, isScrollable }: RequestExample): Html => html`
<div class="example">
<div class="example-bar">
<fieldset class="languages"><legend class="visually-hidden">Language of the example</legend>${snippets.map(
  (snippet, index) => html`
<label><input type="radio" name="language-${name}" value="${snippet.language}"${index === 0 && html` checked`}><span>${snippet.name}</span></label>`,
)}
</fieldset>
<button class="copy script-only" type="button" data-copy-code>Copy<span class="visually-hidden"> the request</span></button>
</div>
${snippets.map(({ language, code }) => html`<pre data-language="${language}"><code>${code}</code></pre>`)}
${
  reply !== undefined &&
  html`<p class="example-status"><span class="visually-hidden">Reply: </span><span data-status>${status}</span></p>
<pre class="reply"${isScrollable && html` role="region" aria-label="Reply" tabindex="0"`}><code data-reply>${reply}</code></pre>`
}
</div>`
