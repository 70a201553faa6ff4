import { cache } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { get, type Route } from '../../kernel/route.ts'
import { html } from '../shared/html.ts'
import { type Layout, OPENER_POLICY } from '../shared/layout.ts'
import { isSafeForToken } from './transport.ts'
import { renderDashboard, renderSignIn } from './view.ts'

const REFRESH_INTERVAL_MS = 5000

/** A first guess from the request; the script checks again in the browser. */
function looksPrivate(baseUrl: string, host = ''): boolean {
  const url = URL.parse(`http://${host}`)
  return baseUrl.startsWith('https:') || (url !== null && isSafeForToken(url))
}

export interface OperatorPage {
  readonly appName: string
  /** How this program is called, for commands that the operator can copy. */
  readonly programCall: string
}

/** `/operator`: the page is public; its data requires a token. */
export const operatorRoute = ({ appName, programCall }: OperatorPage, layout: Layout): Route =>
  get('/operator', {
    tag: 'Pages',
    summary: 'Operator dashboard',
    description: 'The page is public. The data in it requires an operator token.',
    otherTypes: ['text/html'],
    handle: async (ctx: RequestContext) => {
      const { baseUrl: base } = ctx
      const isSafe = looksPrivate(base, ctx.header('host'))
      const page = await layout({
        path: 'operator',
        title: 'Menagerie: operator',
        description: 'Health, traffic and problems of this service, for its operator.',
        script: 'operator.js',
        style: 'operator.css',
        body: html`<div class="operator" data-api="api/v5/${appName}/operator" data-refresh-ms="${REFRESH_INTERVAL_MS}" data-program="${programCall}">
<header class="bar"><h1 id="operator-title" tabindex="-1">Operator</h1>
<p class="connection" data-connection hidden><span data-connection-text></span> <button class="second" type="button" data-now hidden>Try now</button></p>
<p class="whose" data-whose hidden><span data-token-words></span> <button class="second" type="button" data-sign-out>Sign out</button></p></header>
${renderSignIn(isSafe, base, programCall)}
${renderDashboard(programCall)}
</div>`,
        base,
        cache: cache.revalidate,
      })
      return { ...page, headers: [...page.headers, ...OPENER_POLICY, 'Vary', 'Host', 'X-Robots-Tag', 'noindex'] }
    },
  })
