import { cache } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { get, type Route } from '../../kernel/route.ts'
import { html } from '../shared/html.ts'
import type { Layout } from '../shared/layout.ts'
import { screen } from './screen.ts'
import { signIn } from './sign-in.ts'
import { isPrivateWay } from './transport.ts'

/** How the caller came, as far as we can tell; the script asks the browser, too. */
function cameSafely({ baseUrl, header }: { baseUrl: string; header: string }): boolean {
  const host = URL.parse(`http://${header}`)
  return baseUrl.startsWith('https:') || (host !== null && isPrivateWay(host))
}

/** `/operator`: the page is for anyone, what it shows only for a bearer of a token. */
export const operatorPage = (appName: string, layout: Layout): Route =>
  get(
    '/operator',
    { tag: 'Pages', summary: "The operator's dashboard", otherTypes: ['text/html'] },
    async (exchange: RequestContext<unknown, unknown>) => {
      const { baseUrl: base } = exchange
      const isPrivate = cameSafely({ baseUrl: base, header: exchange.header('host') ?? '' })
      const page = await layout({
        path: 'operator',
        title: 'Menagerie: operator',
        description: 'Is the service well, who uses it, what is wrong: the dashboard of its operator.',
        script: 'operator.js',
        style: 'operator.css',
        body: html`<div class="operator" data-api="api/v5/${appName}/operator">
<header class="bar"><h1 id="operator-title" tabindex="-1">Operator</h1>
<p class="contact" data-contact hidden><span data-contact-words></span> <button class="second" type="button" data-now hidden>Try now</button></p>
<p class="whose" data-whose hidden><span data-token-words></span> <button class="second" type="button" data-sign-out>Sign out</button></p></header>
${signIn(isPrivate, base)}
${screen()}
</div>`,
        base,
        cache: cache.revalidate,
      })
      return { ...page, headers: [...page.headers, 'Vary', 'Host', 'X-Robots-Tag', 'noindex'] }
    },
  )
