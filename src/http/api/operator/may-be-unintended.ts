import type { RequestContext } from '../../kernel/request-context.ts'
import { isPreflight } from '../../kernel/router.ts'

const isLoopbackHost = (host: string) => /^(?:localhost|.*\.localhost|127\..*|\[::1\])$/.test(host)

/**
 * Whether a browser may have sent the request because of a link or a page of another site. Any page can make its visitors
 * request any URL, so such requests are rejected, but the visitors are not banned. Pages cannot set `Sec-Fetch-*`, and
 * browsers always send all of them over HTTPS and to their own machine, except to open a WebSocket and to send a report
 * to the URL that a page names for it (Reporting API). Elsewhere `Origin` tells, which browsers leave out of most GET and
 * HEAD requests.
 */
export function mayBeUnintended(ctx: RequestContext): boolean {
  const userAgent = ctx.header('user-agent') ?? ''
  const isRead = ctx.isHead || ctx.request.method === 'GET'
  // Apple's systems load the videos of a page with a program of their own.
  if (userAgent.startsWith('AppleCoreMedia/')) return isRead && ctx.header('authorization') === undefined
  if (!userAgent.startsWith('Mozilla/5.0 (')) return false
  const site = ctx.header('sec-fetch-site')
  if (site !== undefined) {
    const isComplete = ctx.header('sec-fetch-mode') !== undefined && ctx.header('sec-fetch-dest') !== undefined
    return isComplete && site !== 'same-origin'
  }
  const own = URL.parse(ctx.baseUrl)
  const isPlainHttp = !ctx.isHttps && !isLoopbackHost(own?.hostname ?? '')
  const origin = ctx.header('origin')
  if (origin !== undefined) {
    // A host that the client sent can be the name of another site, which leads here (DNS rebinding).
    const isOwnPage = origin === own?.origin && !ctx.dependsOnHost
    return (isPlainHttp || ctx.header('sec-websocket-key') !== undefined || isReport(ctx)) && !isOwnPage
  }
  return isPlainHttp && isRead && ctx.header('accept-language') !== undefined
}

/** A report, or the preflight that precedes it and has no effect. */
const isReport = (ctx: RequestContext) =>
  ctx.header('content-type') === 'application/reports+json' || isPreflight(ctx.request)
