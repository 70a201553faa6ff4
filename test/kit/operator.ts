import { createHash } from 'node:crypto'
import type { Environment } from '../../src/config/config.ts'
import type { Scope as TokenScope } from '../../src/platform/store/index.ts'
import { APP, createToken, startApp } from './app.ts'
import type { Scope } from './scope.ts'
import { until } from './until.ts'

export const OPERATOR = `${APP}/operator`
export const digestOf = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** A service on a content folder with these files of the product, and an operator who may publish. */
export async function startPublisher(scope: Scope, files: Record<string, string> = {}, settings: Environment = {}) {
  const app = await startApp(scope, files, settings)

  const authorize = async (scopes: readonly TokenScope[]) => {
    const { headers } = await createToken(app.dataDir, { scopes })
    await until(async () => (await fetch(`${app.url}${OPERATOR}/nothing`, { headers })).status !== 401)
    return headers
  }
  const token = await authorize(['read', 'publish'])

  /** Sends JSON to an operator endpoint, and checks the reply against the OpenAPI document. */
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    app.fetchJson(`${OPERATOR}${path}`, {
      method,
      headers: { ...token, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })

  const upload = (bytes: string | Uint8Array, headers: Record<string, string> = {}, sha256 = digestOf(bytes)) =>
    app.fetchJson(`${OPERATOR}/uploads/${sha256}`, {
      method: 'PUT',
      headers: { ...token, ...headers },
      body: bytes as string,
    })

  return { ...app, token, authorize, send, upload }
}
