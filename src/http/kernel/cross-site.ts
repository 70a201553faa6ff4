import type { RequestContext } from './request-context.ts'

/**
 * Whether a browser sent this on behalf of another site. Any page can make its visitors ask for any URL, so what is asked
 * that way is refused, and never held against their addresses. An attacker who claims it is spared the ban, nothing else.
 */
export function isCrossSite(ctx: RequestContext): boolean {
  const site = ctx.header('sec-fetch-site')
  if (site === 'cross-site' || site === 'same-site') return true
  const origin = ctx.header('origin')
  return origin !== undefined && origin !== URL.parse(ctx.baseUrl)?.origin
}
