import Type from 'typebox'
import { ApiError, NotReady } from '../../errors/index.ts'
import type { ServiceProblem } from '../../platform/logging/index.ts'
import { cache, prepareReply, type Reply, success } from '../kernel/replies.ts'
import { get, type Route } from '../kernel/route.ts'
import { SuccessReply } from '../kernel/schemas.ts'

export const ProblemSchema = Type.Object(
  {
    part: Type.String({ description: 'The affected part of the service.', examples: ['content'] }),
    message: Type.String({ examples: ['kaomoji/cat.txt, line 12: the line must have at most 200 characters'] }),
    file: Type.Optional(Type.String({ description: 'The content file to correct.', examples: ['kaomoji/cat.txt'] })),
    line: Type.Optional(Type.Integer({ examples: [12] })),
    rule: Type.Optional(
      Type.String({
        description: 'The rule that the file breaks.',
        examples: ['the line must have at most 200 characters'],
      }),
    ),
  },
  { component: 'Problem' },
)

/** A load balancer must not run out of requests, so health checks have no rate limit. */
export const health = { tag: 'Health', bucket: 'none', hasEtag: false } as const

/** `/readyz` has no rate limit, and the list of problems may be long: a flood of requests shares one list. */
const READINESS_CACHE_MS = 100

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
    if (!cached || now >= cached.until) cached = { answer: build(problems()), until: now + READINESS_CACHE_MS }
    if (cached.answer instanceof ApiError) throw cached.answer
    return cached.answer
  }
}
