import type { ClientJson } from '../../features/access/index.ts'
import { type ArgumentSpec, defineCommand } from '../command.ts'
import { paint, printable } from '../text.ts'

const settings = ['STORE_URL', 'DATA_DIR'] as const
const id = {
  name: 'id',
  help: 'Id of the client. "clients list" shows it.',
  completes: 'clients',
} as const satisfies ArgumentSpec

const colours = { pending: 'yellow', granted: 'green', refused: 'red', revoked: 'red' } as const

export const clientsList = defineCommand({
  name: 'clients list',
  summary: 'Lists registered clients and key requests.',
  settings,
  options: {
    state: {
      value: 'state',
      choices: ['pending', 'granted', 'refused', 'revoked'],
      help: 'Lists only clients in this state.',
    },
  },
  examples: ['clients list --state pending'],
  run: async ({ service, options: { state }, format }) => {
    const clients = await service.listClients(state)
    const rows = clients.map(({ id, state, createdAt, name, contact, reason }) => ({
      id,
      state,
      requested: format.time(createdAt),
      name,
      contact,
      reason: reason.replaceAll('\n', ' '),
    }))
    const whenEmpty = state ? 'There are no clients in this state.' : 'There are no clients.'
    return { text: format.table(rows, whenEmpty, colours), value: { clients } }
  },
})

const EXAMPLE_ID = '0b0f4b5e-6d0c-4c56-8f5e-3d1c5f6a7b8c'

export const clientsGrant = defineCommand({
  name: 'clients grant',
  summary: 'Grants a request for a client key. The key is shown only once: send it to the contact of the client.',
  settings,
  arguments: [id],
  examples: [`clients grant ${EXAMPLE_ID}`],
  run: async ({ service, args }) => {
    const { key, client } = await service.grantClient(args.id)
    const text = `${describeClient(client)} Copy the key now, because it cannot be shown again:\n\n  ${key}`
    return { text, value: { key, client } }
  },
})

const defineDecision = (verb: 'refuse' | 'revoke', summary: string) =>
  defineCommand({
    name: `clients ${verb}`,
    summary,
    settings,
    arguments: [id],
    examples: [`clients ${verb} ${EXAMPLE_ID}`],
    run: async ({ service, args }) => {
      const client = await service.decideClient(args.id, verb)
      return { text: describeClient(client), value: { client } }
    },
  })

export const clientsRefuse = defineDecision('refuse', 'Refuses a request for a client key. You can grant it later.')
export const clientsRevoke = defineDecision(
  'revoke',
  'Revokes the key of a client. Running services refuse it within a second.',
)

const describeClient = ({ name, contact, state }: ClientJson) => {
  const subject = state === 'revoked' ? 'key' : 'request'
  return paint(colours[state], printable(`The ${subject} of ${name} (${contact}) is ${state}.`))
}
