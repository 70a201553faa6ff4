import { isIP } from 'node:net'
import Type from 'typebox'
import Value from 'typebox/value'
import { BodyTooLarge, InvalidBody, NotBanned } from '../../../errors/index.ts'
import type { Bans } from '../../../features/access/index.ts'
import type { Ban } from '../../../platform/store/index.ts'
import { readBody } from '../../kernel/input.ts'
import { get, post, type Route, remove } from '../../kernel/route.ts'
import { IntegerParameter, SuccessReply, Timestamp } from '../../kernel/schemas.ts'
import { readScope, uncachedReply, writeScope } from './operator-route.ts'

const HOUR_MS = 3_600_000
const HOURS = { minimum: 1, maximum: 24 * 365, default: 24 }
/** Bounds the reply after a flood of attacks. */
const DEFAULT_LIMIT = 1000
const MAX_LIMIT = 10_000

const BanRequest = Type.Object({
  address: Type.String({ description: 'IP address. For an IPv6 address its /64 is banned.' }),
  reason: Type.Optional(Type.String({ maxLength: 200 })),
  hours: Type.Optional(Type.Number({ ...HOURS, description: `Duration of the ban. Default: ${HOURS.default}.` })),
})

const BanSchema = Type.Object({
  address: Type.String({ description: 'The banned address, or the /64 of an IPv6 address.' }),
  reason: Type.String(),
  by: Type.String({ description: '`guard`: banned automatically; `operator`: banned by an operator.' }),
  at: Timestamp,
  until: Timestamp,
})

export const buildBanRoutes = (bans: Bans): Route[] => [
  get(
    '/bans',
    {
      ...readScope,
      summary: 'Banned addresses with reason and expiry',
      description: 'Oldest ban first. `limit` and `offset` count from the newest ban.',
      query: {
        limit: IntegerParameter('Maximum number of bans.', { minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT }),
        offset: IntegerParameter('Number of the newest bans to skip.', { minimum: 0, default: 0 }),
      },
      reply: SuccessReply({
        bans: Type.Array(BanSchema),
        total: Type.Integer({ minimum: 0, description: 'Number of all bans.' }),
      }),
    },
    async ({ query: { limit = DEFAULT_LIMIT, offset = 0 } }) => {
      const all = await bans.list()
      const end = Math.max(0, all.length - offset)
      const page = all.slice(Math.max(0, end - limit), end)
      return uncachedReply({ bans: page.map(shapeBan), total: all.length })
    },
  ),
  post(
    '/bans',
    {
      ...writeScope,
      summary: 'Ban an address',
      body: BanRequest,
      reply: SuccessReply({ ban: BanSchema }),
      errors: [InvalidBody, BodyTooLarge],
    },
    async ({ request }) => {
      const { address, reason, hours } = parseBanRequest(await readBody(request))
      const ban = await bans.add(address, { reason, by: 'operator', ms: hours * HOUR_MS })
      if (!ban)
        throw new InvalidBody('"address" is in BAN_EXEMPT or TRUST_PROXY and is never banned.', { field: 'address' })
      return uncachedReply({ ban: shapeBan(ban) })
    },
  ),
  remove(
    '/bans/:address',
    {
      ...writeScope,
      summary: 'Lift a ban',
      params: { address: Type.String({ description: 'Address from the list of bans, or any address in its /64.' }) },
      reply: SuccessReply({ address: Type.String() }),
      errors: [NotBanned],
    },
    async ({ params: { address } }) => {
      if (!(await bans.lift(address))) throw new NotBanned(address)
      return uncachedReply({ address })
    },
  ),
]

const shapeBan = ({ at, until, ...ban }: Ban) => ({
  ...ban,
  at: new Date(at).toISOString(),
  until: new Date(until).toISOString(),
})

function parseBanRequest({ address, reason = 'by hand', hours = HOURS.default }: Record<string, unknown>) {
  if (typeof address !== 'string' || isIP(address) === 0) {
    throw new InvalidBody('"address" must be an IP address.', { field: 'address' })
  }
  if (!Value.Check(BanRequest.properties.hours, hours)) {
    const { minimum: min, maximum: max } = HOURS
    throw new InvalidBody(`"hours" must be a number from ${min} to ${max}.`, { field: 'hours', min, max })
  }
  return { address, reason, hours }
}
