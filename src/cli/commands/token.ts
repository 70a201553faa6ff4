import { resolve } from 'node:path'
import type { Config } from '../../config/config.ts'
import { defineCommand } from '../command.ts'
import { parseExpiry } from '../parse.ts'
import { formatTime, localUrl, paint } from '../text.ts'

const settings = ['STORE_URL', 'DATA_DIR'] as const

const READINESS_TIMEOUT_MS = 1000

/** A token works only for services that use the same store. */
async function warnAboutStore({ STORE_URL, DATA_DIR, HOST, PORT }: Config, note: (text: string) => void) {
  const { sqliteFile } = await import('../../platform/store/index.ts')
  if (sqliteFile(STORE_URL, DATA_DIR) !== sqliteFile('', DATA_DIR)) return
  const folder = resolve(DATA_DIR)
  const { wasDataDirUsed, isDataDirInUse } = await import('../../app/data-dir.ts')
  if (!wasDataDirUsed(DATA_DIR)) {
    note(`No service has used DATA_DIR (${folder}) yet. The token works only for a service with this DATA_DIR.`)
    return
  }
  const { fetchReadiness } = await import('../doctor/network.ts')
  const url = localUrl(HOST, PORT)
  const isRunning = PORT !== 0 && (await fetchReadiness(url, AbortSignal.timeout(READINESS_TIMEOUT_MS)))
  if (isRunning && !(await isDataDirInUse(DATA_DIR))) {
    note(`The service at ${url} uses another DATA_DIR than ${folder}. The token does not work for it.`)
  }
}

export const tokenCreate = defineCommand({
  name: 'token create',
  summary: 'Creates a token for the operator endpoints. Its value is shown only once.',
  settings: [...settings, 'HOST', 'PORT'],
  arguments: [{ name: 'label', help: 'Purpose of the token, shown by "token list".' }],
  options: {
    scope: {
      value: 'scope',
      choices: ['read', 'write', 'publish'],
      help: 'Scope of the token: "write" manages bans, client keys and tokens, "publish" changes releases and content. Both include "read". Default: read.',
      multiple: true,
    },
    expires: {
      value: 'duration|date',
      help: 'Lifetime such as 12h, 90d or 4w, or an end date. Default: never; on a remote service, when your own token expires.',
    },
  },
  examples: [
    'token create dashboard --expires 90d',
    'token create "release script" --scope publish --expires 2027-01-01',
  ],
  run: async ({ config, service, args: { label }, options: { scope, expires }, note }) => {
    const wanted = expires === undefined ? null : parseExpiry(expires, Date.now(), '--expires')
    const { secret, token } = await service.createToken(label, scope, wanted)
    if (!service.isRemote) await warnAboutStore(config, note)
    const { expiresAt } = token
    const expiry = expiresAt === null ? 'which does not expire' : `which expires on ${formatTime(expiresAt)}`
    const created = paint('green', `Created token ${token.id}, ${expiry}.`)
    return {
      text: `${created} Copy its value now, because it cannot be shown again:\n\n  ${secret}`,
      value: { token, secret },
    }
  },
})

export const tokenList = defineCommand({
  name: 'token list',
  summary: 'Lists all tokens. Their values are not stored and cannot be shown.',
  settings,
  examples: ['token list'],
  run: async ({ service, format }) => {
    const tokens = await service.listTokens()
    const rows = tokens.map(({ id, label, scopes, createdAt, expiresAt, lastUsedAt }) => ({
      id,
      label,
      scopes: scopes.join(' '),
      created: format.time(createdAt),
      'last used': lastUsedAt === null ? 'never' : format.time(lastUsedAt),
      expires: expiresAt === null ? 'never' : format.time(expiresAt),
    }))
    return { text: format.table(rows, 'There are no tokens.'), value: { tokens } }
  },
})

export const tokenRevoke = defineCommand({
  name: 'token revoke',
  summary: 'Revokes a token. Running services refuse it within a second.',
  settings,
  arguments: [{ name: 'id', help: 'Id of the token. "token list" shows it.', completes: 'tokens' }],
  examples: ['token revoke 1f0a2b3c'],
  run: async ({ service, args: { id } }) => {
    await service.revokeToken(id)
    return { text: paint('green', `Revoked token ${id}.`), value: { id } }
  },
})
