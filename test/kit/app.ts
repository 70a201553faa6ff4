import { join } from 'node:path'
import type { Environment } from '../../src/config/config.ts'
import { scopes as allScopes, createTokens } from '../../src/features/access/index.ts'
import { openStore, type Scope as TokenScope } from '../../src/platform/store/index.ts'
import { temporaryFolder } from './folder.ts'
import { silent, write } from './releases.ts'
import type { Scope } from './scope.ts'
import { startTestService, type TestService } from './service.ts'
import { until } from './until.ts'

export const APP = '/api/v5/app'

export interface TestApp extends TestService {
  /** Where the dedicated application's files are. */
  readonly appDir: string
  /** A plain fetch of a path under the application's part of the API, redirects not followed. */
  fetch(path: string, init?: RequestInit): Promise<Response>
}

/** The real service over a content folder with these files of the dedicated application, and nothing else. */
export async function startApp(t: Scope, files: Record<string, string>, settings: Environment = {}): Promise<TestApp> {
  const contentDir = settings.CONTENT_DIR ?? (await temporaryFolder(t))
  const appDir = join(contentDir, 'app')
  await write(appDir, files)
  const service = await startTestService(t, { LOG_LEVEL: 'warn', ...settings, CONTENT_DIR: contentDir })
  return {
    ...service,
    appDir,
    fetch: (path, init) => fetch(service.url + APP + path, { redirect: 'manual', ...init }),
  }
}

/** A call has so long to be answered, and on a busy machine the thread of the database takes longer to start. */
async function openedStore(dataDir: string) {
  const store = openStore('', { dataDir, log: silent })
  await until(async () => (await store.health()).ok)
  return store
}

interface TokenWish {
  readonly scopes?: readonly TokenScope[]
  readonly expiresAt?: number
  /** When it was made. */
  readonly at?: number
}

/** Makes a token as an operator's command does, in another process of the same store. */
export async function makeToken(dataDir: string, { scopes = allScopes, expiresAt, at }: TokenWish = {}) {
  const store = await openedStore(dataDir)
  try {
    const tokens = createTokens(store.tokens, at === undefined ? {} : { clock: () => at })
    const { text, token } = await tokens.create('a test', scopes, expiresAt ?? null)
    return { id: token.id, headers: { Authorization: `Bearer ${text}` } }
  } finally {
    await store.close()
  }
}

export async function revokeToken(dataDir: string, id: string): Promise<void> {
  const store = await openedStore(dataDir)
  await createTokens(store.tokens).revoke(id)
  await store.close()
}
