// Liveness, readiness and metrics.
import { isIP } from 'node:net'
import Type from 'typebox'
import { ApiError, MetricsNotAllowed, NotReady } from '../../errors/index.ts'
import { createSharedRun, measureThreadMs } from '../../platform/concurrency/index.ts'
import type { ServiceProblem } from '../../platform/logging/index.ts'
import { renderMetrics, type Snapshot } from '../../platform/metrics/index.ts'
import { createAddressMatcher, isInternalName } from '../../platform/net/index.ts'
import { cache, prepareReply, type Reply, success, text } from '../kernel/replies.ts'
import { hasForwardedHeader, type RequestContext, readPeerAddress } from '../kernel/request-context.ts'
import { get, type Route } from '../kernel/route.ts'
import { SuccessReply, Text } from '../kernel/schemas.ts'

export const ProblemSchema = Type.Object(
  {
    part: Text('The affected part of the service.', 'content'),
    message: Type.String({ examples: ['A text may have at most 2000 characters.'] }),
    file: Type.Optional(Text('The content file to correct.', 'kaomoji/cat.txt')),
    line: Type.Optional(Type.Integer({ examples: [12] })),
    rule: Type.Optional(Text('Name of the rule that the file breaks.', 'length')),
  },
  { component: 'Problem' },
)

/** A load balancer must not run out of requests, so health checks have no rate limit. */
const health = { tag: 'Health', bucket: 'none', hasEtag: false } as const

/** `/readyz` has no rate limit, and the list of problems may be long: a flood of requests shares one list. */
const READINESS_CACHE_MS = 100
/** Each broken file is a problem. A list of thousands takes long: the service must be able to do other work in between. */
const CACHE_FACTOR = 10

export function buildHealthRoutes(problems: () => readonly ServiceProblem[]): Route[] {
  const alive = prepareReply(success({ state: 'ok' }, { cache: cache.none }))
  return [
    get('/healthz', {
      ...health,
      summary: 'Liveness',
      description: 'Replies as long as the process works, also if the service has problems.',
      reply: SuccessReply({ state: Type.Literal('ok') }),
      handle: () => alive,
    }),
    get('/readyz', {
      ...health,
      summary: 'Readiness and current problems',
      description:
        '`degraded`: works, but has problems. With status 503, load balancers should send no requests to this node.',
      reply: SuccessReply({
        state: Type.Enum(['ok', 'degraded'], { examples: ['degraded'] }),
        problems: Type.Array(ProblemSchema),
      }),
      errors: [NotReady],
      handle: createReadinessHandler(problems),
    }),
  ]
}

function createReadinessHandler(problems: () => readonly ServiceProblem[]): () => Reply {
  const build = (found: readonly ServiceProblem[]) => {
    if (found.some(({ fatal }) => fatal)) return new NotReady([...found])
    const state = found.length > 0 ? 'degraded' : 'ok'
    return prepareReply(success({ state, problems: found }, { cache: cache.none }))
  }
  let cached: { readonly answer: Reply | ApiError; readonly until: number } | undefined
  return () => {
    const now = performance.now()
    if (!cached || now >= cached.until) {
      const startMs = measureThreadMs()
      const answer = build(problems())
      const usedMs = measureThreadMs() - startMs
      cached = { answer, until: performance.now() + Math.max(READINESS_CACHE_MS, CACHE_FACTOR * usedMs) }
    }
    if (cached.answer instanceof ApiError) throw cached.answer
    return cached.answer
  }
}

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
  const { run: readShared } = createSharedRun(async () => read())
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
