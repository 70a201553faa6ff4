import { styleText } from 'node:util'
import { defineCommand } from '../command.ts'
import { expiryOf } from '../expiry.ts'
import { withStore } from '../open.ts'
import { moment, table } from '../text.ts'

const settings = ['STORE_URL', 'DATA_DIR'] as const

const withTokens = <T>(
  config: Parameters<typeof withStore>[0],
  work: (tokens: import('../../features/access/index.ts').Tokens) => Promise<T>,
) =>
  withStore(config, async (store) => {
    const { createTokens } = await import('../../features/access/index.ts')
    return work(createTokens(store.tokens))
  })

export const tokenCreate = defineCommand({
  name: 'token create',
  summary: 'Makes a token for the operator’s endpoints, which is shown this once.',
  settings,
  arguments: [{ name: 'label', help: 'What it is for, so that you know it in the list.' }],
  options: {
    scope: {
      type: 'string',
      value: 'scope',
      choices: ['read', 'write'],
      help: 'read looks, write also acts; read where nothing is said.',
    },
    expires: { type: 'string', value: 'when', help: 'After 90d, 12h or 4w, or on a date; never otherwise.' },
  },
  examples: [
    'token create dashboard --expires 90d',
    'token create "release script" --scope write --expires 2027-01-01',
  ],
  run: ({ config, args: { label }, options: { scope = 'read', expires } }) => {
    const expiresAt = expires === undefined ? null : expiryOf(expires, Date.now())
    return withTokens(config, async ({ create }) => {
      const { text, token } = await create(label, scope === 'write' ? ['read', 'write'] : ['read'], expiresAt)
      const until = expiresAt === null ? 'until it is revoked' : `until ${moment(expiresAt)}`
      const made = styleText('green', `Made the token ${token.id}, good ${until}.`)
      const shown = `${made} It is not kept here and not shown again:\n\n  ${text}`
      return { text: shown, value: { token, secret: text } }
    })
  },
})

export const tokenList = defineCommand({
  name: 'token list',
  summary: 'Lists the tokens; what they are is not kept.',
  settings,
  examples: ['token list'],
  run: ({ config }) =>
    withTokens(config, async ({ list }) => {
      const tokens = await list()
      const rows = tokens.map(({ id, label, scopes, createdAt, expiresAt, lastUsedAt }) => [
        ...[id, label, scopes.join(' '), moment(createdAt), moment(lastUsedAt) || 'never'],
        expiresAt === null ? 'never' : `${moment(expiresAt)}${expiresAt <= Date.now() ? ', expired' : ''}`,
      ])
      const text =
        rows.length > 0 ? table(['id', 'label', 'scopes', 'made', 'used', 'expires'], rows) : 'There are none.'
      return { text, value: { tokens } }
    }),
})

export const tokenRevoke = defineCommand({
  name: 'token revoke',
  summary: 'Makes a token worthless; a running service knows within a second.',
  settings,
  arguments: [{ name: 'id', help: 'As "token list" shows it.', completes: 'tokens' }],
  examples: ['token revoke 1f0a2b3c'],
  run: ({ config, args: { id } }) =>
    withTokens(config, async ({ revoke }) => {
      await revoke(id)
      return { text: styleText('green', `Revoked the token ${id}.`), value: { id } }
    }),
})
