import { isIP } from 'node:net'
import Type from 'typebox'
import { BodyTooLarge, InvalidBody, NotBanned } from '../../../errors/index.ts'
import type { Bans } from '../../../features/access/index.ts'
import { readBody } from '../../kernel/body.ts'
import { cache, success } from '../../kernel/replies.ts'
import { get, post, type Route, remove } from '../../kernel/route.ts'
import { SuccessReply } from '../../kernel/schemas.ts'
import { BanShape, BansReply } from './schemas.ts'
import { shownBan } from './shapes.ts'

const HOUR_MS = 3_600_000
const LONGEST_HOURS = 24 * 365
/** Bans of one reply: a flood of attackers must not make it too large to read. */
const SHOWN = 1000
const MAX_SHOWN = 10_000

const BanRequest = Type.Object({
  address: Type.String({ description: 'An IP address; of an IPv6 address the /64 is banned.' }),
  reason: Type.Optional(Type.String({ maxLength: 200 })),
  hours: Type.Optional(Type.Number({ minimum: 1, maximum: LONGEST_HOURS, default: 24 })),
})

const tag = 'Operator, v5'

export const banRoutes = (bans: Bans): Route[] => [
  get(
    '/bans',
    {
      tag,
      operatorScope: 'read',
      summary: 'Who is banned, and why',
      description: 'The oldest ban first.',
      query: {
        limit: Type.Integer({
          minimum: 1,
          maximum: MAX_SHOWN,
          default: SHOWN,
          description: 'So many of the newest bans.',
        }),
        offset: Type.Integer({ minimum: 0, default: 0, description: 'Leaves so many of the newest bans out.' }),
      },
      reply: BansReply,
    },
    async ({ query: { limit = SHOWN, offset = 0 } }) => {
      const all = await bans.list()
      const end = Math.max(0, all.length - offset)
      const shown = all.slice(Math.max(0, end - limit), end).map(shownBan)
      return success({ bans: shown, total: all.length }, { cache: cache.none })
    },
  ),
  post(
    '/bans',
    {
      tag,
      operatorScope: 'write',
      summary: 'Bans an address',
      body: BanRequest,
      reply: SuccessReply({ ban: BanShape }),
      errors: [InvalidBody, BodyTooLarge],
    },
    async ({ request }) => {
      const { address, reason, hours } = readBan(await readBody(request))
      const ban = await bans.add(address, { reason, by: 'operator', ms: hours * HOUR_MS })
      if (!ban)
        throw new InvalidBody('"address" is in BAN_EXEMPT or TRUST_PROXY and is never banned.', { field: 'address' })
      return success({ ban: shownBan(ban) }, { cache: cache.none })
    },
  ),
  remove(
    '/bans/:address',
    {
      tag,
      operatorScope: 'write',
      summary: 'Lifts a ban',
      params: { address: Type.String({ description: 'As the list gives it, or any address of that /64.' }) },
      reply: SuccessReply({ address: Type.String() }),
      errors: [NotBanned],
    },
    async ({ params: { address } }) => {
      if (!(await bans.lift(address))) throw new NotBanned(address)
      return success({ address }, { cache: cache.none })
    },
  ),
]

function readBan({ address, reason = 'by hand', hours = 24 }: Record<string, unknown>) {
  if (typeof address !== 'string' || isIP(address) === 0) {
    throw new InvalidBody('"address" must be an IP address.', { field: 'address' })
  }
  if (typeof hours !== 'number' || !(hours >= 1 && hours <= LONGEST_HOURS)) {
    throw new InvalidBody(`"hours" must be a number from 1 to ${LONGEST_HOURS}.`, {
      field: 'hours',
      min: 1,
      max: LONGEST_HOURS,
    })
  }
  return { address, reason, hours }
}
