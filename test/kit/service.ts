import { join } from 'node:path'
import { type Service, startService } from '../../src/app/start-service.ts'
import { type Environment, readConfig } from '../../src/config/config.ts'
import { temporaryFolder } from './folder.ts'
import { checkReply } from './openapi.ts'
import { ROOT } from './root.ts'
import type { Scope } from './scope.ts'
import { untilEqual } from './until.ts'

export interface TestService {
  readonly url: string
  readonly dataDir: string
  readonly contentDir: string
  readonly service: Service
  /** The text that the service printed for the operator. */
  readonly printed: string[]
  /** Fetches a path of the service, and checks the reply against the served OpenAPI document. */
  fetchPath(path: string, init?: RequestInit): Promise<Response>
  fetchJson<T = Record<string, any>>(
    path: string,
    init?: RequestInit,
  ): Promise<{ status: number; headers: Headers; body: T }>
  /** Waits until no problem is reported. A busy machine blocks the event loop, which is reported for half a minute. */
  untilHealthy(): Promise<void>
}

/** All requests of a test come from one address, so the limits are on but generous. */
const GENEROUS_LIMITS = {
  RATE_LIMIT: '1000000/60',
  RATE_LIMIT_FILTERS: '100000/60',
  RATE_LIMIT_DOWNLOADS: '1000000/60',
}

/** Starts the real service on a free port of loopback, with a data folder of its own. */
export async function startTestService(t: Scope, settings: Environment = {}): Promise<TestService> {
  const closers: (() => Promise<void> | void)[] = []
  const folder = await temporaryFolder({ after: (work) => closers.push(work) })
  const dataDir = settings.DATA_DIR ?? join(folder, 'data')
  const contentDir = settings.CONTENT_DIR ?? join(ROOT, 'content')
  const printed: string[] = []
  const config = readConfig({ PORT: '0', ...GENEROUS_LIMITS, ...settings, DATA_DIR: dataDir, CONTENT_DIR: contentDir })
  const service = await startService(config, (text) => printed.push(text))
  t.after(async () => {
    await service.stop()
    for (const close of closers) await close()
  })

  let openApi: Promise<string> | undefined
  // Not compressed: that takes longer than sending it.
  const readOpenApi = async () =>
    (await fetch(`${service.url}/openapi.json`, { headers: { 'accept-encoding': 'identity' } })).text()

  const fetchPath = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(service.url + path, { redirect: 'manual', ...init })
    openApi ??= readOpenApi()
    await checkReply(await openApi, path, init.method ?? 'GET', response.clone())
    return response
  }
  const fetchJson = async <T>(path: string, init?: RequestInit) => {
    const response = await fetchPath(path, init)
    return { status: response.status, headers: response.headers, body: (await response.json()) as T }
  }
  const listProblems = async () => (await fetchJson<{ problems: object[] }>('/readyz')).body.problems
  return {
    url: service.url,
    dataDir,
    contentDir,
    service,
    printed,
    fetchPath,
    fetchJson,
    untilHealthy: () => untilEqual(listProblems, [], 60_000),
  }
}
