import { type Html, html } from '../shared/html.ts'

const COMMANDS = [
  ['token create', html`makes a token, <code>token list</code> shows them`],
  ['clients list', html`shows who asks for a key; <code>clients grant</code> and <code>clients refuse</code> decide`],
  ['ban list', html`shows who is shut out; <code>ban add</code> and <code>ban lift</code> change it`],
  ['content check', html`names what is wrong, with file and line`],
  ['release list', html`shows what is published, <code>news list</code> the news`],
  ['store status', html`tells how the store is`],
] as const

/** Where the token is asked for; or, where it would be seen on its way, why not. */
export const signIn = (isPrivate: boolean, base: string): Html => html`
<section class="sign-in" data-sign-in aria-labelledby="operator-title">
<div class="state warn" data-plain${isPrivate && html` hidden`}>
<p><strong>Not without TLS.</strong> This page came by plain HTTP, so a token that you type here could be read on its way.</p>
<p>Come by <code>https://</code>: put the service behind a proxy that ends TLS, and set <code>PUBLIC_URL</code> to that
address. Or open it on the machine itself, as <code>http://127.0.0.1</code>, through an SSH tunnel for instance.</p>
${base.startsWith('https:') && html`<p>The service says that it is at <a href="${base}/operator">${base}/operator</a>.</p>`}
</div>
<form class="script-only" data-token-form autocomplete="off" novalidate${!isPrivate && html` hidden`}>
<p class="lead">Is it well, who uses it, what is wrong: one screen for the operator.</p>
<div class="field">
<label for="token">Token</label>
<input id="token" type="password" autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="token-hint" data-token>
<p class="aside" id="token-hint">Stays in this tab until you sign out or close it. <code>menagerie token create dashboard --scope write</code>
makes one; without <code>--scope write</code> it may look, not act.</p>
</div>
<button class="press" type="submit">Sign in</button>
<p class="trouble" role="alert" data-trouble></p>
</form>
<div class="without-script">
<p class="lead">The dashboard needs JavaScript. The command line does the same without:</p>
<ul class="commands">${COMMANDS.map(
  ([command, what]) => html`
<li><code>menagerie ${command}</code> ${what}.</li>`,
)}
</ul>
</div>
<img src="media/animals/alpaca/~operator.svg" alt="" width="360" height="360">
</section>`
