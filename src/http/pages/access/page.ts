import { ClientRequest } from '../../../features/access/index.ts'
import { POLICY_PATH } from '../../api/product/access.ts'
import { cache } from '../../kernel/replies.ts'
import { get, type Route } from '../../kernel/route.ts'
import { type Html, html } from '../shared/html.ts'
import type { Layout } from '../shared/layout.ts'

export interface AccessPage {
  readonly appName: string
  readonly access: 'open' | 'registered'
}

/** The v5 policy and the form to request a client key. */
export const accessRoute = ({ appName, access }: AccessPage, layout: Layout): Route =>
  get(POLICY_PATH, {
    tag: 'Pages',
    summary: 'v5 policy and client key request form',
    description: 'Says who may use the v5 API, and how to get a client key.',
    otherTypes: ['text/html'],
    handle: ({ baseUrl: base }) =>
      layout({
        path: 'v5-access',
        title: 'Menagerie: access to v5',
        description: 'Who may use the v5 endpoints, and how to request a client key.',
        script: 'access.js',
        body: html`<div class="access">${renderPolicy(appName, access)}${renderForm(`api/v5/${appName}/clients`, base)}</div>`,
        base,
        cache: cache.revalidate,
      }),
  })

export const accessNotice = {
  open: html`<p class="state"><strong>Currently open.</strong> v5 also replies to requests without a key. Request a key
anyway: the operator may require keys at any time.</p>`,
  registered: html`<p class="state"><strong>Registered clients only.</strong> Without a key, v5 replies 401
<code>CLIENT_KEY_REQUIRED</code>.</p>`,
}

const renderPolicy = (appName: string, access: keyof typeof accessNotice): Html => html`
<section class="policy" aria-labelledby="access-title">
<h1 id="access-title">Access to v5</h1>
<p class="lead">v5 is the API of one product, <code>${appName}</code>: its downloads, updates and news.
v1 and v2 never need a key.</p>
${accessNotice[access]}
<h2>How it works</h2>
<ol>
<li><strong>Request a key.</strong> Say who you are, how to reach you, and what you build.</li>
<li><strong>Wait for the reply.</strong> The operator reads each request and writes to your contact.</li>
<li><strong>Send the key</strong> with each request, in the header <code>X-Client-Key</code>.</li>
</ol>
<h2>Rules</h2>
<ul>
<li>A key is for one program. It may be part of the program that you distribute, but do not give it to other
developers.</li>
<li>Respect <code>Cache-Control</code> and <code>Retry-After</code>, and send no more requests than your users need.</li>
<li>Do not impersonate the product or its authors.</li>
<li>The operator can revoke a key at any time. Then v5 replies 401 <code>CLIENT_KEY_INVALID</code>, and you may request a new
one.</li>
</ul>
<p>Name, contact and reason are stored for the operator’s decision and shown to nobody else.</p>
</section>`

type FieldName = keyof typeof ClientRequest.properties

const FIELDS: readonly { name: FieldName; label: string; hint: string; autocomplete: string }[] = [
  { name: 'name', label: 'Name', hint: 'You, or what you build', autocomplete: 'organization' },
  { name: 'contact', label: 'Contact', hint: 'Email address or profile for the reply', autocomplete: 'email' },
  {
    name: 'reason',
    label: 'Reason',
    hint: 'What you build, who uses it, how often it sends requests',
    autocomplete: 'off',
  },
]

interface LengthBounds {
  readonly minLength?: number
  readonly maxLength?: number
}

function renderField({ name, label, hint, autocomplete }: (typeof FIELDS)[number]): Html {
  const { minLength = 0, maxLength = 0 } = ClientRequest.properties[name] as LengthBounds
  const attributes = html` id="${name}" name="${name}" required autocomplete="${autocomplete}" aria-describedby="${name}-hint ${name}-error" data-min="${minLength}"`
  return html`
<div class="field">
<label for="${name}">${label}</label>
${name === 'reason' ? html`<textarea${attributes} rows="5"></textarea>` : html`<input type="text"${attributes}>`}
<p class="aside" id="${name}-hint">${hint}; ${minLength} to ${maxLength} characters.</p>
<p class="wrong" id="${name}-error" data-error="${name}"></p>
</div>`
}

const EXAMPLE = '{"name": "My launcher", "contact": "me@example.com", "reason": "Shows the news of the app."}'

/** The endpoint takes JSON, which a form cannot send without JavaScript: the page then shows the command instead. */
const renderForm = (endpoint: string, base: string): Html => html`
<section class="key-request" aria-labelledby="key-request-title">
<h2 id="key-request-title" tabindex="-1">Request a key</h2>
<form class="script-only" action="${endpoint}" method="post" data-key-request novalidate>
${FIELDS.map(renderField)}
<button class="press" type="submit">Send request</button>
<p class="problem" role="alert" data-problem></p>
</form>
<div class="without-script">
<p>The form needs JavaScript. This command sends the same request:</p>
<pre><code>curl '${base}/${endpoint}' \\
  -H 'Content-Type: application/json' \\
  -d '${EXAMPLE}'</code></pre>
</div>
</section>`
