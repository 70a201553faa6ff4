import { join } from 'node:path'
import type { Environment } from '../../src/config/config.ts'
import { scopes as allScopes, createTokens } from '../../src/features/access/index.ts'
import { openStore, type Scope as TokenScope } from '../../src/platform/store/index.ts'
import { temporaryFolder } from './folder.ts'
import { silentLog, writeFiles } from './releases.ts'
import type { Scope } from './scope.ts'
import { startTestService, type TestService } from './service.ts'
import { PATIENT } from './store.ts'
import { until } from './until.ts'

export const APP = '/api/v5/app'

export interface TestApp extends TestService {
  /** The folder with the files of the product. */
  readonly appDir: string
  /** Fetches a path of the v5 API without checks; redirects are not followed. */
  fetch(path: string, init?: RequestInit): Promise<Response>
}

/** Starts the real service on a content folder that holds only these files of the product. */
export async function startApp(t: Scope, files: Record<string, string>, settings: Environment = {}): Promise<TestApp> {
  const contentDir = settings.CONTENT_DIR ?? (await temporaryFolder(t))
  const appDir = join(contentDir, 'app')
  await writeFiles(appDir, files)
  const service = await startTestService(t, { LOG_LEVEL: 'warn', ...settings, CONTENT_DIR: contentDir })
  return {
    ...service,
    appDir,
    fetch: (path, init) => fetch(service.url + APP + path, { redirect: 'manual', ...init }),
  }
}

/** Opens the store and waits for its thread: on a busy machine the first call could time out. */
async function openReadyStore(dataDir: string, url = '') {
  const store = await openStore(url, { dataDir, log: silentLog, ...PATIENT })
  await until(async () => (await store.health()).ok)
  return store
}

interface TokenOptions {
  readonly scopes?: readonly TokenScope[]
  readonly expiresAt?: number
  /** Default: now. */
  readonly createdAt?: number
}

/** Creates a token in the store, like the command of an operator does. */
export async function createToken(
  dataDir: string,
  { scopes = allScopes, expiresAt, createdAt: at }: TokenOptions = {},
  storeUrl = '',
) {
  const store = await openReadyStore(dataDir, storeUrl)
  try {
    const tokens = createTokens(store.tokens, at === undefined ? {} : { clock: () => at })
    const { secret, token } = await tokens.create('a test', scopes, expiresAt ?? null)
    return { id: token.id, headers: { Authorization: `Bearer ${secret}` } }
  } finally {
    await store.close()
  }
}

/** Changes the expiry of a token to a second ago. */
export async function expireToken(dataDir: string, id: string): Promise<void> {
  const store = await openReadyStore(dataDir)
  const records = (await store.tokens.list()).filter((record) => record.id === id)
  await store.tokens.put(records.map((record) => ({ ...record, expiresAt: Date.now() - 1000 })))
  await store.close()
}

export async function revokeToken(dataDir: string, id: string): Promise<void> {
  const store = await openReadyStore(dataDir)
  await createTokens(store.tokens).revoke(id)
  await store.close()
}
