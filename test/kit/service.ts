import { join } from 'node:path'
import { type Service, startService } from '../../src/app/service.ts'
import { type Environment, readConfig } from '../../src/config/config.ts'
import { temporaryFolder } from './folder.ts'
import { checkReply } from './openapi.ts'
import { ROOT } from './root.ts'
import type { Scope } from './scope.ts'

export interface TestService {
  readonly url: string
  readonly dataDir: string
  readonly contentDir: string
  readonly service: Service
  /** What the operator was shown. */
  readonly told: string[]
  /** fetch from the service; every JSON reply is checked against the served OpenAPI document. */
  ask(path: string, init?: RequestInit): Promise<Response>
  askJson<T = Record<string, any>>(
    path: string,
    init?: RequestInit,
  ): Promise<{ status: number; headers: Headers; body: T }>
}

/** All tests come from one address; the limits are on, and wide. */
const ROOMY = { RATE_LIMIT: '1000000/60', RATE_LIMIT_FILTERS: '100000/60', RATE_LIMIT_DOWNLOADS: '1000000/60' }

/** The real service on a free port of loopback, with folders of its own. */
export async function startTestService(t: Scope, settings: Environment = {}): Promise<TestService> {
  const closers: (() => Promise<void> | void)[] = []
  const folder = await temporaryFolder({ after: (work) => closers.push(work) })
  const dataDir = settings.DATA_DIR ?? join(folder, 'data')
  const contentDir = settings.CONTENT_DIR ?? join(ROOT, 'content')
  const told: string[] = []
  const config = readConfig({ PORT: '0', ...ROOMY, ...settings, DATA_DIR: dataDir, CONTENT_DIR: contentDir })
  const service = await startService(config, (text) => told.push(text))
  t.after(async () => {
    await service.stop()
    for (const close of closers) await close()
  })

  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(service.url + path, { redirect: 'manual', ...init })
    await checkReply(service.url, path, init.method ?? 'GET', response.clone())
    return response
  }
  return {
    url: service.url,
    dataDir,
    contentDir,
    service,
    told,
    ask,
    askJson: async <T>(path: string, init?: RequestInit) => {
      const response = await ask(path, init)
      return { status: response.status, headers: response.headers, body: (await response.json()) as T }
    },
  }
}
