import Type from 'typebox'
import { NotReady } from '../../errors/index.ts'
import type { ServiceProblem } from '../../platform/logging/index.ts'
import { cache, prepareReply, success } from '../kernel/replies.ts'
import { get, type Route } from '../kernel/route.ts'
import { SuccessReply } from '../kernel/schemas.ts'

export const ProblemSchema = Type.Object({
  part: Type.String({ description: 'The affected part of the service.' }),
  message: Type.String(),
  file: Type.Optional(Type.String({ description: 'The content file to correct.' })),
  line: Type.Optional(Type.Integer()),
  rule: Type.Optional(Type.String({ description: 'The rule that the file breaks.' })),
})

const tag = 'Health'

export function buildHealthRoutes(problems: () => readonly ServiceProblem[]): Route[] {
  const alive = prepareReply(success({ state: 'ok' }, { cache: cache.none }))
  return [
    get('/healthz', { tag, summary: 'Liveness', reply: SuccessReply({ state: Type.Literal('ok') }) }, () => alive),
    get(
      '/readyz',
      {
        tag,
        summary: 'Readiness and current problems',
        description:
          '`degraded`: works, but has problems. With status 503, load balancers should send no requests to this node.',
        reply: SuccessReply({ state: Type.Enum(['ok', 'degraded']), problems: Type.Array(ProblemSchema) }),
        errors: [NotReady],
      },
      () => {
        const found = problems()
        if (found.some(({ fatal }) => fatal)) throw new NotReady([...found])
        return success({ state: found.length > 0 ? 'degraded' : 'ok', problems: found }, { cache: cache.none })
      },
    ),
  ]
}
