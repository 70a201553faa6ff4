import { isIP } from 'node:net'
import { MetricsNotAllowed } from '../../errors/index.ts'
import { renderMetrics, type Snapshot } from '../../platform/metrics/index.ts'
import { createAddressMatcher, isInternalName } from '../../platform/net/index.ts'
import { cache, text } from '../kernel/replies.ts'
import type { RequestContext } from '../kernel/request-context.ts'
import { hasForwardedHeader, readPeerAddress } from '../kernel/request-context.ts'
import { get, type Route } from '../kernel/route.ts'
import { health } from './health.ts'

export interface MetricsOptions {
  /** The metrics of all workers of this node. */
  readonly read: () => Snapshot | Promise<Snapshot>
  /** The setting METRICS_ALLOW. */
  readonly allow: readonly string[]
  readonly publicUrl: string
}

export function buildMetricsRoute({ read, allow, publicUrl }: MetricsOptions): Route {
  const isAllowed = createAddressMatcher(allow)
  // The endpoint has no rate limit, and reading asks all workers: requests that arrive meanwhile share the result.
  let reading: Promise<Snapshot> | undefined
  const readShared = () => {
    reading ??= Promise.resolve(read()).finally(() => {
      reading = undefined
    })
    return reading
  }
  const route = get('/metrics', {
    ...health,
    summary: 'Metrics for Prometheus',
    description: 'Only addresses in `METRICS_ALLOW` have access.',
    otherTypes: ['text/plain'],
    textExamples: {
      'text/plain':
        'menagerie_http_requests_total{route="/api/v2/random/animal/:kind",method="GET",status="200"} 3904\n',
    },
    errors: [MetricsNotAllowed],
    handle: async () =>
      text(renderMetrics(await readShared()), 'text/plain; version=0.0.4; charset=utf-8', { cache: cache.none }),
  })
  const admit = (ctx: RequestContext) => {
    if (!isAllowed(ctx.client)) throw new MetricsNotAllowed('this address is not among them')
    if (isForwarded(ctx))
      throw new MetricsNotAllowed('this request was forwarded by a proxy that TRUST_PROXY does not name')
    if (ctx.header('origin') !== undefined || /^(?:cross|same)-site$/.test(ctx.header('sec-fetch-site') ?? ''))
      throw new MetricsNotAllowed('this request comes from a page of another site')
    if (!isKnownHost(ctx.header('host') ?? '', publicUrl))
      throw new MetricsNotAllowed('this request has an unknown host: use an IP address, a local name or PUBLIC_URL')
  }
  return { ...route, admit }
}

/**
 * Behind a local proxy that TRUST_PROXY does not name, every client seems to have the allowed loopback address. Headers
 * of the proxy reveal it. Forging them only denies access.
 */
const isForwarded = (ctx: RequestContext) =>
  ctx.client === readPeerAddress(ctx.request) && hasForwardedHeader(ctx.request)

/**
 * A page whose name an attacker points to this machine (DNS rebinding) could read the metrics through the browser of a
 * visitor with access. Attackers do not own addresses, local names and the host of PUBLIC_URL.
 */
function isKnownHost(host: string, publicUrl: string): boolean {
  const { hostname = '' } = URL.parse(`http://${host}`) ?? {}
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
  return isAddress || !hostname.includes('.') || isInternalName(hostname) || hostname === URL.parse(publicUrl)?.hostname
}
