import { MetricsNotAllowed } from '../../errors/index.ts'
import { createAddressMatcher } from '../../features/access/index.ts'
import { formats, renderMetrics, type Snapshot } from '../../platform/metrics/index.ts'
import { negotiate } from '../kernel/negotiate.ts'
import { readPeerAddress } from '../kernel/origin.ts'
import { cache, text } from '../kernel/replies.ts'
import type { RequestContext } from '../kernel/request-context.ts'
import { get, type Route } from '../kernel/route.ts'

export interface MetricsOptions {
  /** The numbers of all processes that one answer is for. */
  readonly read: () => Snapshot | Promise<Snapshot>
  /** METRICS_ALLOW. */
  readonly allow: readonly string[]
}

const types = Object.values(formats).map(({ type }) => type)

export function metrics({ read, allow }: MetricsOptions): Route[] {
  const isAllowed = createAddressMatcher(allow)
  const route = get(
    '/metrics',
    {
      tag: 'Health',
      summary: 'The numbers of the service, for Prometheus',
      description: 'Only for the addresses in `METRICS_ALLOW`. OpenMetrics where `Accept` prefers it.',
      otherTypes: types,
      errors: [MetricsNotAllowed],
    },
    async ({ request }) => {
      const format = negotiate(request.headers.accept, types) === formats.openmetrics.type ? 'openmetrics' : 'text'
      return text(renderMetrics(await read(), format), formats[format].contentType, {
        cache: cache.none,
        headers: ['Vary', 'Accept'],
      })
    },
  )
  const admit = (ctx: RequestContext) => {
    if (!isAllowed(ctx.client)) throw new MetricsNotAllowed('this address is not among them')
    if (isSomebodyElses(ctx))
      throw new MetricsNotAllowed('this request was forwarded by a proxy that TRUST_PROXY does not name')
    if (ctx.header('origin') !== undefined) throw new MetricsNotAllowed('pages of other sites are none of them')
  }
  return [{ ...route, admit }]
}

const FORWARDED = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'cf-connecting-ip', 'true-client-ip'] as const

/**
 * A proxy on this machine that is not believed makes every stranger look like loopback; what it adds to a request gives
 * it away. A forged header only shuts its forger out.
 */
const isSomebodyElses = (ctx: RequestContext) =>
  ctx.client === readPeerAddress(ctx.request) && FORWARDED.some((name) => ctx.header(name) !== undefined)
