import type { TokenJson } from '../../features/access/index.ts'
import { defineCommand } from '../command.ts'
import { parseToken, readLogin, removeLogin, writeLogin } from '../remote/choose-server.ts'
import { connect, parseServer } from '../remote/connection.ts'
import { paint, printable } from '../text.ts'

export const login = defineCommand({
  name: 'login',
  summary:
    'Makes commands act on a remote service. Checks a token of the service and stores it. Commands whose help names ' +
    '--server then act on that service instead of the one on this machine. --server <URL> or MENAGERIE_SERVER chooses ' +
    'another service, --server local the one on this machine. The token comes from MENAGERIE_TOKEN or standard input; ' +
    'on a terminal, the command asks for it.',
  actsOn: 'machine',
  settings: [],
  arguments: [{ name: 'server', help: 'URL of the service, such as https://animals.example.org.' }],
  examples: ['login https://animals.example.org', 'login http://127.0.0.1:4010'],
  run: async ({ args, environment, readSecret }) => {
    const url = parseServer(args.server)
    const token = parseToken(environment.MENAGERIE_TOKEN || (await readSecret(`Token for ${url}: `)))
    const { request } = await connect({ url, token })
    const { label, scopes, expiresAt } = (
      await request<{ token: Omit<TokenJson, 'createdAt' | 'lastUsedAt'> }>('GET', '/token')
    ).token
    const file = await writeLogin(environment, { url, token })
    const text = `Logged in to ${url} with the token "${printable(label)}" (${scopes.join(', ')}). It is stored in ${file}.`
    return { text: paint('green', text), value: { server: url, label, scopes, expiresAt, file } }
  },
})

export const logout = defineCommand({
  name: 'logout',
  summary:
    'Removes the stored token. Later commands act on the service on this machine, unless MENAGERIE_SERVER is set. ' +
    '"token revoke" ends the token itself.',
  actsOn: 'machine',
  settings: [],
  examples: ['logout'],
  run: async ({ environment }) => {
    const { url: server = null } = (await readLogin(environment).catch(() => undefined)) ?? {}
    await removeLogin(environment)
    return { text: server === null ? 'There was no login.' : `Logged out of ${server}.`, value: { server } }
  },
})
