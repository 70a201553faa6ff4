import { styleText } from 'node:util'
import type { Client, Clients } from '../../features/access/index.ts'
import type { ClientState } from '../../platform/store/index.ts'
import { type ArgumentSpec, defineCommand } from '../command.ts'
import { withStore } from '../open.ts'
import { moment, table, visible } from '../text.ts'

const settings = ['STORE_URL', 'DATA_DIR'] as const
const id = { name: 'id', help: 'As "clients list" shows it.', completes: 'clients' } as const satisfies ArgumentSpec

const withClients = <T>(config: Parameters<typeof withStore>[0], work: (clients: Clients) => Promise<T>) =>
  withStore(config, async (store) => {
    const { createClients } = await import('../../features/access/index.ts')
    // Only who comes with a key over HTTP is told where to ask.
    return work(createClients(store.clients))
  })

const colours = { asked: 'yellow', granted: 'green', refused: 'red', revoked: 'red' } as const

export const clientsList = defineCommand({
  name: 'clients list',
  summary: 'Lists who asked for a key of v5, and what was decided.',
  settings,
  options: {
    state: {
      type: 'string',
      value: 'state',
      choices: ['asked', 'granted', 'refused', 'revoked'],
      help: 'Only those in this state.',
    },
  },
  examples: ['clients list --state asked'],
  run: ({ config, options: { state } }) =>
    withClients(config, async ({ list }) => {
      const clients = await list(state)
      const rows = clients.map((client) => [
        ...[client.id, client.state, moment(client.createdAt), client.name, client.contact],
        client.reason.replaceAll('\n', ' '),
      ])
      const headings = ['id', 'state', 'asked', 'name', 'contact', 'reason']
      const text = rows.length > 0 ? table(headings, rows, (cell) => colours[cell as ClientState]) : 'There are none.'
      return { text, value: { clients } }
    }),
})

export const clientsGrant = defineCommand({
  name: 'clients grant',
  summary: 'Gives a client its key, which is shown this once; you pass it on to the contact.',
  settings,
  arguments: [id],
  examples: ['clients grant 0b0f4b5e-6d0c-4c56-8f5e-3d1c5f6a7b8c'],
  run: ({ config, args }) =>
    withClients(config, async ({ grant }) => {
      const { key, client } = await grant(args.id)
      const text = `${told(client)} The key, which is not kept here and not shown again:\n\n  ${key}`
      return { text, value: { key, client } }
    }),
})

export const clientsRefuse = defineCommand({
  name: 'clients refuse',
  summary: 'Refuses a request; it can be granted later all the same.',
  settings,
  arguments: [id],
  examples: ['clients refuse 0b0f4b5e-6d0c-4c56-8f5e-3d1c5f6a7b8c'],
  run: ({ config, args }) => withClients(config, async ({ refuse }) => decided(await refuse(args.id))),
})

export const clientsRevoke = defineCommand({
  name: 'clients revoke',
  summary: 'Takes the key of a client back; a running service knows within a second.',
  settings,
  arguments: [id],
  examples: ['clients revoke 0b0f4b5e-6d0c-4c56-8f5e-3d1c5f6a7b8c'],
  run: ({ config, args }) => withClients(config, async ({ revoke }) => decided(await revoke(args.id))),
})

const told = ({ name, contact, state }: Client) =>
  `${styleText(colours[state], visible(`${name} is ${state}`))} (${visible(contact)}).`

const decided = (client: Client) => ({ text: told(client), value: { client } })
