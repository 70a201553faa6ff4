import Type from 'typebox'
import Value from 'typebox/value'
import { BodyTooLarge, InvalidBody, NotBanned } from '../../../errors/index.ts'
import { BAN_HOURS, type Bans, type Tokens, toBanJson } from '../../../features/access/index.ts'
import { createAddressMatcher, parseNetwork } from '../../../platform/net/index.ts'
import { readBody } from '../../kernel/input.ts'
import { get, post, type Route, remove } from '../../kernel/route.ts'
import { CountOf, IntegerParameter, SuccessReply, Text, Timestamp } from '../../kernel/schemas.ts'
import { checkTokenAgain, readScope, uncachedReply, writeScope } from './scopes.ts'

const HOUR_MS = 3_600_000
const DEFAULT_REASON = 'manual'
const HOURS = { ...BAN_HOURS, default: 24 }
/** Bounds the reply after a flood of attacks. */
const LIMIT = { minimum: 1, maximum: 10_000, default: 1000 }

const BanRequest = Type.Object({
  address: Text('IP address or network (CIDR). An IPv6 address bans its /64 network.', '203.0.113.7'),
  reason: Type.Optional(Type.String({ maxLength: 200, description: `Reason of the ban. Default: ${DEFAULT_REASON}.` })),
  hours: Type.Optional(
    Type.Number({ ...HOURS, description: `Duration of the ban in hours. Default: ${HOURS.default}.` }),
  ),
})

const BanSchema = Type.Object(
  {
    address: Text('The banned IPv4 address or network. IPv6 addresses are banned by their /64.', '203.0.113.7'),
    reason: Type.String({ examples: ['scraping of the filters'] }),
    by: Text('`automatic` or `operator`.', 'operator'),
    at: Timestamp,
    until: Type.String({ ...Timestamp, examples: ['2026-12-02T09:30:00.000Z'] }),
  },
  { component: 'Ban' },
)

export const buildBanRoutes = (bans: Bans, tokens: Tokens): Route[] => [
  get('/bans', {
    ...readScope,
    summary: 'Banned addresses with reason and expiry',
    description: '`offset=0` is the page with the newest bans. Within a page, the oldest ban comes first.',
    query: {
      limit: IntegerParameter('Maximum number of bans in the reply.', LIMIT),
      offset: IntegerParameter('Number of bans to skip, starting with the newest.', { minimum: 0, default: 0 }),
    },
    reply: SuccessReply({ bans: Type.Array(BanSchema), total: CountOf('Total number of bans.', 1) }),
    handle: async ({ query: { limit = LIMIT.default, offset = 0 } }) => {
      const all = await bans.list()
      const end = Math.max(0, all.length - offset)
      const page = all.slice(Math.max(0, end - limit), end)
      return uncachedReply({ bans: page.map(toBanJson), total: all.length })
    },
  }),
  post('/bans', {
    ...writeScope,
    summary: 'Ban an address or a network',
    description: 'Refused if it would ban the sender. The command `ban add` on the server has no such check.',
    body: BanRequest,
    reply: SuccessReply({ ban: BanSchema }),
    errors: [InvalidBody, BodyTooLarge],
    handle: async (ctx) => {
      const { address, reason, hours } = parseBanRequest(await readBody(ctx, BanRequest))
      await checkTokenAgain(tokens, 'write', ctx)
      if (createAddressMatcher([address])(ctx.client) && !bans.isExempt(ctx.client))
        throw new InvalidBody('"address" includes your own address: you would ban yourself.', { field: 'address' })
      const ban = await bans.add(address, { reason, by: 'operator', ms: hours * HOUR_MS })
      if (!ban)
        throw new InvalidBody(
          '"address" is in BAN_EXEMPT or TRUST_PROXY, or of this machine or its gateway: it is never banned.',
          { field: 'address' },
        )
      return uncachedReply({ ban: toBanJson(ban) })
    },
  }),
  remove('/bans/:address', {
    ...writeScope,
    summary: 'Lift a ban, and reset the counts of wrong operator tokens and of earlier bans of the address',
    params: { address: Text('Address or network from the list of bans, or any address in a banned /64 network.') },
    reply: SuccessReply({ address: BanSchema.properties.address }),
    errors: [NotBanned],
    handle: async ({ params: { address } }) => {
      if (!(await bans.lift(address))) throw new NotBanned(address)
      return uncachedReply({ address })
    },
  }),
]

function parseBanRequest({ address, reason = DEFAULT_REASON, hours = HOURS.default }: Record<string, unknown>) {
  const network = typeof address === 'string' && parseNetwork(address)
  if (!network) {
    throw new InvalidBody('"address" must be an IP address, or a network of /8 to /32 (IPv6: /16 to /64).', {
      field: 'address',
    })
  }
  if (!Value.Check(BanRequest.properties.hours, hours)) {
    const { minimum: min, maximum: max } = HOURS
    throw new InvalidBody(`"hours" must be a number from ${min} to ${max}.`, { field: 'hours', min, max })
  }
  return { address: network, reason, hours }
}
