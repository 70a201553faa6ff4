import { type Html, html } from '../shared/html.ts'

export const accessState = {
  open: html`<p class="state"><strong>Open at the moment.</strong> v5 answers everybody, also without a key. Ask all the same before
you build on it: it can be closed to strangers any day, and a key keeps working.</p>`,
  registered: html`<p class="state"><strong>For registered clients only.</strong> Without a key, v5 answers 401
<code>CLIENT_KEY_REQUIRED</code>.</p>`,
}

/** The policy in plain words. */
export const policy = (appName: string, access: keyof typeof accessState): Html => html`
<section class="policy" aria-labelledby="access-title">
<h1 id="access-title">Access to v5</h1>
<p class="lead">v1 and v2 are for everyone. v5 belongs to one application, <code>${appName}</code>: its releases, news and
downloads. Using it needs the operator’s word.</p>
${accessState[access]}
<h2>In short</h2>
<ol>
<li><strong>Ask.</strong> Say who you are, how to reach you, and what you will build.</li>
<li><strong>Wait.</strong> The operator reads it in person and writes to your contact, with a key or with a no.</li>
<li><strong>Send the key</strong> with each request, in the header <code>X-Client-Key</code>.</li>
</ol>
<h2>What is expected</h2>
<ul>
<li>A key is for one client. Do not publish it or pass it on; a key that leaks is taken back.</li>
<li>Respect <code>Cache-Control</code> and <code>Retry-After</code>, and do not ask more often than your users need.</li>
<li>Do not pass yourself off as the application or its makers.</li>
<li>The operator can take back a key at any time. Then v5 answers 401 <code>CLIENT_KEY_INVALID</code>, and you may ask again.</li>
</ul>
<p>Name, contact and reason are kept for the operator’s decision and shown to nobody else.</p>
</section>`
