import { ClientRequest } from '../../../features/access/index.ts'
import { type Html, html } from '../shared/html.ts'

type FieldName = keyof typeof ClientRequest.properties

const FIELDS: readonly { name: FieldName; label: string; hint: string; autocomplete: string }[] = [
  { name: 'name', label: 'Name', hint: 'Of you, or of what you build', autocomplete: 'organization' },
  {
    name: 'contact',
    label: 'Contact',
    hint: 'Where the operator writes to: mail, or a profile',
    autocomplete: 'email',
  },
  { name: 'reason', label: 'Reason', hint: 'What you build, who uses it, how often it asks', autocomplete: 'off' },
]

interface Bounds {
  readonly minLength?: number
  readonly maxLength?: number
}

function field({ name, label, hint, autocomplete }: (typeof FIELDS)[number]): Html {
  const { minLength = 0, maxLength = 0 } = ClientRequest.properties[name] as Bounds
  const described = html` id="${name}" name="${name}" required autocomplete="${autocomplete}" aria-describedby="${name}-hint ${name}-error" data-min="${minLength}"`
  return html`
<div class="field">
<label for="${name}">${label}</label>
${name === 'reason' ? html`<textarea${described} rows="5"></textarea>` : html`<input type="text"${described}>`}
<p class="aside" id="${name}-hint">${hint}; ${minLength} to ${maxLength} characters.</p>
<p class="wrong" id="${name}-error" data-error="${name}"></p>
</div>`
}

const EXAMPLE = '{"name": "My launcher", "contact": "me@example.com", "reason": "Shows the news of the app."}'

/** The endpoint takes JSON, which a form without a script cannot send: it shows the command instead. */
export const accessForm = (endpoint: string, base: string): Html => html`
<section class="ask" aria-labelledby="ask-title">
<h2 id="ask-title" tabindex="-1">Ask for a key</h2>
<form class="script-only" action="${endpoint}" method="post" data-ask novalidate>
${FIELDS.map(field)}
<button class="press" type="submit">Ask the operator</button>
<p class="trouble" role="alert" data-trouble></p>
</form>
<div class="without-script">
<p>The form needs JavaScript. Without it, send the same with one command:</p>
<pre><code>curl '${base}/${endpoint}' \\
  -H 'Content-Type: application/json' \\
  -d '${EXAMPLE}'</code></pre>
</div>
</section>`
