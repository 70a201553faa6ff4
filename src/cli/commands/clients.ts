import { styleText } from 'node:util'
import type { Client, Clients } from '../../features/access/index.ts'
import type { ClientState } from '../../platform/store/index.ts'
import { type ArgumentSpec, defineCommand } from '../command.ts'
import { withStore } from '../open-services.ts'
import { formatTable, formatTime, printable } from '../text.ts'

const settings = ['STORE_URL', 'DATA_DIR'] as const
const id = {
  name: 'id',
  help: 'Id of the client. "clients list" shows it.',
  completes: 'clients',
} as const satisfies ArgumentSpec

const withClients = <T>(config: Parameters<typeof withStore>[0], work: (clients: Clients) => Promise<T>) =>
  withStore(config, async (store) => {
    const { createClients } = await import('../../features/access/index.ts')
    return work(createClients(store.clients))
  })

const colours = { asked: 'yellow', granted: 'green', refused: 'red', revoked: 'red' } as const

export const clientsList = defineCommand({
  name: 'clients list',
  summary: 'Lists the clients that requested a v5 key, with their state.',
  settings,
  options: {
    state: {
      value: 'state',
      choices: ['asked', 'granted', 'refused', 'revoked'],
      help: 'Lists only clients in this state.',
    },
  },
  examples: ['clients list --state asked'],
  run: ({ config, options: { state } }) =>
    withClients(config, async ({ list }) => {
      const clients = await list(state)
      const rows = clients.map((client) => [
        ...[client.id, client.state, formatTime(client.createdAt), client.name, client.contact],
        client.reason.replaceAll('\n', ' '),
      ])
      const headings = ['id', 'state', 'requested', 'name', 'contact', 'reason']
      const table = formatTable(headings, rows, (cell) => colours[cell as ClientState])
      return { text: rows.length > 0 ? table : 'There are no clients.', value: { clients } }
    }),
})

export const clientsGrant = defineCommand({
  name: 'clients grant',
  summary: 'Grants a request and prints the client key once. Send it to the contact.',
  settings,
  arguments: [id],
  examples: ['clients grant 0b0f4b5e-6d0c-4c56-8f5e-3d1c5f6a7b8c'],
  run: ({ config, args }) =>
    withClients(config, async ({ grant }) => {
      const { key, client } = await grant(args.id)
      const text = `${describeClient(client)} The key is not stored and not shown again:\n\n  ${key}`
      return { text, value: { key, client } }
    }),
})

export const clientsRefuse = defineCommand({
  name: 'clients refuse',
  summary: 'Refuses a request. It can still be granted later.',
  settings,
  arguments: [id],
  examples: ['clients refuse 0b0f4b5e-6d0c-4c56-8f5e-3d1c5f6a7b8c'],
  run: ({ config, args }) => withClients(config, async ({ refuse }) => formatDecision(await refuse(args.id))),
})

export const clientsRevoke = defineCommand({
  name: 'clients revoke',
  summary: 'Revokes the key of a client. Running services apply it within a second.',
  settings,
  arguments: [id],
  examples: ['clients revoke 0b0f4b5e-6d0c-4c56-8f5e-3d1c5f6a7b8c'],
  run: ({ config, args }) => withClients(config, async ({ revoke }) => formatDecision(await revoke(args.id))),
})

const describeClient = ({ name, contact, state }: Client) =>
  `${styleText(colours[state], printable(`${name} is ${state}`))} (${printable(contact)}).`

const formatDecision = (client: Client) => ({ text: describeClient(client), value: { client } })
