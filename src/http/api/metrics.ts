import { MetricsNotAllowed } from '../../errors/index.ts'
import { formats, renderMetrics, type Snapshot } from '../../platform/metrics/index.ts'
import { createAddressMatcher } from '../../platform/net/index.ts'
import { negotiate } from '../kernel/negotiate.ts'
import { cache, text } from '../kernel/replies.ts'
import type { RequestContext } from '../kernel/request-context.ts'
import { hasForwardedHeader, readPeerAddress } from '../kernel/request-context.ts'
import { get, type Route } from '../kernel/route.ts'
import { health } from './health.ts'

export interface MetricsOptions {
  /** The metrics of all processes of this node. */
  readonly read: () => Snapshot | Promise<Snapshot>
  /** The setting METRICS_ALLOW. */
  readonly allow: readonly string[]
}

const types = Object.values(formats).map(({ type }) => type)

export function buildMetricsRoute({ read, allow }: MetricsOptions): Route {
  const isAllowed = createAddressMatcher(allow)
  // The endpoint has no rate limit, and reading asks all processes: requests that arrive meanwhile share the result.
  let reading: Promise<Snapshot> | undefined
  const readShared = () => {
    reading ??= Promise.resolve(read()).finally(() => {
      reading = undefined
    })
    return reading
  }
  const route = get(
    '/metrics',
    {
      ...health,
      summary: 'Metrics for Prometheus',
      description: 'Only addresses in `METRICS_ALLOW` have access. The format is OpenMetrics if `Accept` prefers it.',
      otherTypes: types,
      errors: [MetricsNotAllowed],
    },
    async ({ request }) => {
      const format = negotiate(request.headers.accept, types) === formats.openmetrics.type ? 'openmetrics' : 'text'
      return text(renderMetrics(await readShared(), format), formats[format].contentType, {
        cache: cache.none,
        headers: ['Vary', 'Accept'],
      })
    },
  )
  const admit = (ctx: RequestContext) => {
    if (!isAllowed(ctx.client)) throw new MetricsNotAllowed('this address is not among them')
    if (isForwarded(ctx))
      throw new MetricsNotAllowed('this request was forwarded by a proxy that TRUST_PROXY does not name')
    if (ctx.header('origin') !== undefined)
      throw new MetricsNotAllowed('this request comes from a page of another site')
  }
  return { ...route, admit }
}

/**
 * Behind a local proxy that TRUST_PROXY does not name, every client seems to have the allowed loopback address. Headers
 * of the proxy reveal it. Forging them only denies access.
 */
const isForwarded = (ctx: RequestContext) =>
  ctx.client === readPeerAddress(ctx.request) && hasForwardedHeader(ctx.request)
