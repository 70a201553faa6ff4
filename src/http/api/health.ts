import Type from 'typebox'
import { NotReady } from '../../errors/index.ts'
import type { ServiceProblem } from '../../platform/logging/index.ts'
import { cache, json, success } from '../kernel/replies.ts'
import { get, type Route } from '../kernel/route.ts'
import { SuccessReply } from '../kernel/schemas.ts'

const ProblemSchema = Type.Object({
  part: Type.String(),
  message: Type.String(),
  file: Type.Optional(Type.String()),
  line: Type.Optional(Type.Integer()),
  rule: Type.Optional(Type.String()),
})

const tag = 'Health'

export function health(problems: () => readonly ServiceProblem[]): Route[] {
  const alive = json({ success: true, status: 200, state: 'ok' }, { cache: cache.none, prepared: true })
  return [
    get(
      '/healthz',
      { tag, summary: 'Is the process alive?', reply: SuccessReply({ state: Type.Literal('ok') }) },
      () => alive,
    ),
    get(
      '/readyz',
      {
        tag,
        summary: 'Can it do its work, and what is wrong?',
        description: 'Problems that leave the service usable are listed with state "degraded".',
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
