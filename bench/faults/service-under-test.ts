// The service that one fault is caused in, with its content and store, and the clients that send requests to it.
import { spawnSync } from 'node:child_process'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { mountSmallDisk } from '../../test/kit/disk.ts'
import { temporaryFolder } from '../../test/kit/folder.ts'
import { startPictureSource } from '../../test/kit/picture-source.ts'
import { createNoisyImage } from '../../test/kit/pictures.ts'
import { freePort, startRedis } from '../../test/kit/redis.ts'
import { ROOT } from '../../test/kit/root.ts'
import type { Scope } from '../../test/kit/scope.ts'
import { type ServiceProcess, spawnService } from '../../test/kit/service-process.ts'
import { startSlowProxy } from '../../test/kit/slow-proxy.ts'
import { until } from '../../test/kit/until.ts'

export interface ServiceUnderTestOptions {
  /** Default: SQLite. */
  readonly store?: 'redis'
  readonly workers?: number
  /** Puts the data folder on a disk of this size. */
  readonly diskBytes?: number
  readonly settings?: Readonly<Record<string, string>>
  /** The clock of the service is moved by the milliseconds in the file `clock`. */
  readonly movesClock?: boolean
  readonly maxDescriptors?: number
}

const BIG_LIST = Array.from({ length: 2000 }, (_, i) => `bad${i}.example`).join('\n')

export type ServiceUnderTest = Awaited<ReturnType<typeof startServiceUnderTest>>

export async function startServiceUnderTest(scope: Scope, options: ServiceUnderTestOptions) {
  const { store, workers = 1, diskBytes, settings = {}, movesClock, maxDescriptors } = options
  const folder = await temporaryFolder(scope)
  const disk = diskBytes === undefined ? undefined : await mountSmallDisk({ ...scope, skip: fail }, diskBytes)
  const contentDir = join(folder, 'content')
  await cp(join(ROOT, 'content'), contentDir, { recursive: true })
  await writeFile(join(contentDir, 'blocklist.txt'), BIG_LIST)
  const redis = store && (await startRedis(scope, '--appendonly', 'yes', '--appendfsync', 'always'))
  if (redis) scope.after(() => redis.resume())
  const proxy = redis && (await startSlowProxy(scope, redis.port))
  const source = await startPictureSource(scope)
  const picture = source.put('/a.jpg', { type: 'image/jpeg', body: await createNoisyImage('jpeg') })
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const environment = {
    PORT: String(port),
    DATA_DIR: join(disk?.folder ?? folder, 'data'),
    CONTENT_DIR: contentDir,
    STORE_URL: proxy ? `redis://127.0.0.1:${proxy.port}` : '',
    WORKERS: String(workers),
    FILTER_ALLOW_HOSTS: source.host,
    CLOCK_FILE: join(folder, 'clock'),
    NODE_OPTIONS: movesClock ? `--import ${join(import.meta.dirname, 'clock.mjs')}` : '',
    ...settings,
  }
  await mkdir(environment.DATA_DIR, { recursive: true })
  const services: ServiceProcess[] = []

  const readReadiness = () => fetchText(`${url}/readyz`).catch(() => '')
  const start = async () => {
    const service = await spawnService(scope, environment)
    services.push(service)
    await service.opened
    if (maxDescriptors) spawnSync('prlimit', [`--pid=${service.pid}`, `--nofile=${maxDescriptors}`])
  }
  const target = {
    url,
    folder,
    contentDir,
    dataDir: environment.DATA_DIR,
    disk,
    redis,
    proxy,
    picture,
    environment,
    start,
    /** The process that was started last. */
    service: () => services.at(-1)!,
    async kill() {
      target.service().child.kill('SIGKILL')
      await target.service().exited
    },
    async stop() {
      target.service().child.kill('SIGTERM')
      await target.service().exited
    },
    /** `/readyz` names repaired parts, and that the clock was set, for an hour; these are ignored. */
    isHealthy: async () => {
      const { problems = [{}] } = JSON.parse((await readReadiness()) || '{}') as { problems?: { message?: string }[] }
      return problems.every(({ message = '' }) => /again|a new file was started|the clock was set/.test(message))
    },
    /** What an operator can see: /readyz, and what the process printed. */
    readReports: async () => (await readReadiness()) + services.map(({ output }) => output()).join(''),
    countDownloads: async () => JSON.parse(await fetchText(`${url}/api/v5/app/stats/downloads`)).total as number,
  }
  await start()
  await until(target.isHealthy)
  return target
}

const fail = (why: string) => {
  throw new Error(why)
}

const fetchText = async (url: string) => (await fetch(url, { headers: { connection: 'close' } })).text()

/** Counted downloads, cheap replies, content and filters, by clients that keep their connections open and never retry. */
export function startClients({ url, picture }: ServiceUnderTest) {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  const outcome = { requests: 0, acknowledged: 0, unknown: 0, failed: new Map<string, number>() }
  let isRunning = true
  let turn = 0
  const paths = [
    () => '/api/v5/app/download/reshade',
    () => '/api/v5/app/download/reshade',
    () => '/api/v1/version',
    () => '/api/v2/random/kaomoji/cat',
    () => '/api/v5/app/launcher/updates',
    () => `/api/v1/filter/blur?format=image&strength=${1 + (turn++ % 250)}&image=${encodeURIComponent(picture)}`,
  ]
  const request = (path: string) =>
    new Promise<number | string>((resolve) => {
      const sent = get(url + path, { agent, timeout: 30_000 }, (response) => {
        response.on('end', () => resolve(response.statusCode ?? 0)).on('error', () => resolve('connection cut'))
        response.resume()
      })
      sent.on('timeout', () => sent.destroy(new Error('no reply')))
      sent.on('error', ({ code, message }: NodeJS.ErrnoException) => resolve(code ?? message))
    })
  const call = async (next: () => string) => {
    while (isRunning) {
      const path = next()
      const result = await request(path)
      outcome.requests++
      const isFailure = typeof result === 'string' || result >= 400
      if (isFailure) outcome.failed.set(String(result), (outcome.failed.get(String(result)) ?? 0) + 1)
      if (path.includes('/download/')) {
        if (!isFailure) outcome.acknowledged++
        // Nobody knows whether a request without a reply was counted; one that was refused was not sent.
        else if (typeof result === 'string' && result !== 'ECONNREFUSED') outcome.unknown++
      }
      await sleep(10)
    }
  }
  const clients = paths.map(call)
  return {
    outcome,
    async stop() {
      isRunning = false
      await Promise.all(clients)
      agent.destroy()
      return outcome
    },
  }
}
