import Type from 'typebox'
import { tierNames } from '../../../features/releases/index.ts'
import type { ClientState } from '../../../platform/store/index.ts'
import { Bytes, Moment, SuccessReply } from '../../kernel/schemas.ts'

export const clientStates: ClientState[] = ['asked', 'granted', 'refused', 'revoked']

export const OrNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])

const Client = Type.Object({
  id: Type.String(),
  name: Type.String(),
  contact: Type.String(),
  reason: Type.String(),
  state: Type.Enum(clientStates),
  createdAt: Moment,
  decidedAt: OrNull(Moment),
})

export const Problem = Type.Object({
  part: Type.String({ description: 'Of the service.' }),
  message: Type.String(),
  file: Type.Optional(Type.String()),
  line: Type.Optional(Type.Integer()),
  rule: Type.Optional(Type.String()),
})

const source = { file: Type.Optional(Type.String()), url: Type.Optional(Type.String()) }
const Published = Type.Object({ version: Type.String(), date: Moment, bytes: Bytes, ...source })
const Release = Type.Object({
  ...Published.properties,
  beta: Type.Boolean(),
  rollout: Type.Number({ description: 'Percent of the clients.' }),
  withdrawn: Type.Boolean(),
})

export const ContentReply = SuccessReply({
  problems: Type.Array(Problem),
  releases: Type.Record(Type.String(), Type.Array(Release), { description: 'Scheduled and withdrawn ones, too.' }),
  resources: Type.Array(Published),
  news: Type.Array(Type.Object({ id: Type.String(), title: Type.String(), date: Moment, file: Type.String() })),
  tiers: Type.Array(Type.Enum(Object.keys(tierNames).map(Number))),
})

export const CountsReply = SuccessReply({
  downloads: Type.Array(
    Type.Object({
      day: Type.String({ format: 'date', description: 'UTC.' }),
      application: Type.String(),
      version: Type.String(),
      count: Type.Integer({ minimum: 0 }),
    }),
  ),
})

export const BanShape = Type.Object({
  address: Type.String({ description: 'An address, or the /64 of one.' }),
  reason: Type.String(),
  by: Type.String(),
  at: Moment,
  until: Moment,
})
export const BansReply = SuccessReply({
  bans: Type.Array(BanShape),
  total: Type.Integer({ minimum: 0, description: 'How many there are.' }),
})

export const ClientsReply = SuccessReply({ clients: Type.Array(Client) })
export const ClientReply = SuccessReply({ client: Client })
export const GrantReply = SuccessReply({ key: Type.String({ description: 'Shown this once.' }), client: Client })
export const ReloadReply = SuccessReply({ problems: Type.Array(Problem) })
