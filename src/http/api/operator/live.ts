import Type from 'typebox'
import { callerOf, scopes, type Tokens } from '../../../features/access/index.ts'
import { cache, success } from '../../kernel/replies.ts'
import { get, type Route } from '../../kernel/route.ts'
import { Moment, SuccessReply } from '../../kernel/schemas.ts'
import { type Live, LiveShape } from './history/columns.ts'
import { MAX_SHOWN, steps } from './history/history.ts'

const reading = { tag: 'Operator, v5', operatorScope: 'read' } as const
const LAST_MOMENT = 999_999_999_999_999

const TokenReply = SuccessReply({
  token: Type.Object({
    id: Type.String(),
    label: Type.String(),
    scopes: Type.Array(Type.Enum([...scopes])),
    expiresAt: Type.Union([Moment, Type.Null()]),
  }),
  client: Type.String({ description: 'The address that the request came from, as a ban would name it.' }),
})

export interface LiveServices {
  readonly tokens: Tokens
  /** The last slots of all processes of this node. */
  readonly live: (wish: { since?: number; step?: number }) => Promise<Live>
}

/** What the dashboard asks again and again. */
export const liveRoutes = ({ tokens, live }: LiveServices): Route[] => [
  get('/token', { ...reading, summary: 'Whose token this is, and what it may', reply: TokenReply }, async (ctx) => {
    const { id, label, scopes, expiresAt } = await tokens.authenticate(ctx.header('authorization'), 'read')
    const until = expiresAt === null ? null : new Date(expiresAt).toISOString()
    const token = { id, label, scopes, expiresAt: until }
    return success({ token, client: callerOf(ctx.client) }, { cache: cache.none })
  }),
  get(
    '/live',
    {
      ...reading,
      summary: 'The last hour, slot by slot',
      description: `Requests, latency, filters, queue, cache and process: the last ${MAX_SHOWN} slots of a length. Ask again with \`since\` as the last entry of \`at\`, and replace that slot.`,
      query: {
        since: Type.Integer({ minimum: 0, maximum: LAST_MOMENT, description: 'Only from this slot: ms since 1970.' }),
        step: Type.Enum(steps.map(String), { description: 'Seconds of a slot.' }),
      },
      reply: SuccessReply({ live: LiveShape }),
    },
    async ({ query: { since, step } }) =>
      success(
        { live: await live({ ...(since !== undefined && { since }), ...(step && { step: Number(step) }) }) },
        { cache: cache.none },
      ),
  ),
]
