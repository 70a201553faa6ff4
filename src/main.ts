// Composes settings -> rooms -> HTTP, and takes it all down again; nothing else.
import { access, constants, mkdir } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { Blocklist, blocklistCandidates } from './blocklist/index.ts'
import type { Config } from './config.ts'
import { GeneratedFiles, LogFiles, readVersion } from './developer/index.ts'
import { about, describeSelf } from './http/about.ts'
import { createAccessLog } from './http/access-log.ts'
import { createApp } from './http/app.ts'
import { health, type Problem } from './http/health.ts'
import type { Route } from './http/route.ts'
import { Assets } from './http/site/assets.ts'
import { DOCS_ASSETS, docs } from './http/site/docs.ts'
import { developer } from './http/v1/developer.ts'
import { openLogging } from './logging/index.ts'

export interface Service {
  /** Where it listens. */
  readonly url: string
  /** Takes no new connections, lets every request finish, saves what is unsaved. */
  stop(): Promise<void>
  /** For a crash: saves what can be saved at once. */
  crash(error: unknown): void
}

/** Something outside is not as the service needs it; the message is for the operator. */
export class StartError extends Error {}

const STOP_WAITS_MS = 10_000
const ROOT = join(import.meta.dirname, '..')

export async function startService(config: Config, tellOperator?: (text: string) => void): Promise<Service> {
  const startedAt = new Date()
  await ensureWritable(config.DATA_DIR)
  const logDir = join(config.DATA_DIR, 'logs')
  const logging = openLogging({
    dir: logDir,
    level: config.LOG_LEVEL,
    fileBytes: config.LOG_FILE_BYTES,
    files: config.LOG_FILES,
    hiddenFolders: [config.DATA_DIR, config.CONTENT_DIR, ROOT, process.cwd(), homedir()],
    ...(tellOperator && { console: tellOperator }),
  })
  const { log } = logging
  const version = await readVersion(ROOT)
  const generated = new GeneratedFiles(join(config.DATA_DIR, 'generated'))
  const blocklist = await Blocklist.open({ candidates: blocklistCandidates(config.DATA_DIR, config.CONTENT_DIR), log })

  let stopping = false
  const problems = (): Problem[] => {
    const found: Problem[] = []
    const note = (part: string, message: string | undefined, fatal = false) => {
      if (message) found.push({ part, message, ...(fatal && { fatal }) })
    }
    note('service', stopping ? 'the service is stopping' : undefined, true)
    note('log', logging.problem())
    note('blocklist', blocklist.problem())
    return found
  }

  const routes: Route[] = []
  const self = describeSelf(routes, version.version)
  routes.push(
    ...about(version.version, self.document),
    ...developer({ version, startedAt, generated, logs: new LogFiles(logDir), blocklist }),
    ...health(problems),
    ...docs(new Assets(join(ROOT, 'build', 'site'), DOCS_ASSETS)),
  )
  await Promise.all([
    generated.put('openapi.json', self.document()),
    generated.put('endpoints.json', self.endpoints()),
    generated.put('errors.json', self.errors()),
  ])

  const server = createApp({
    routes,
    log,
    observe: logging.writeAccess ? createAccessLog(logging.writeAccess) : () => {},
    publicUrl: config.PUBLIC_URL,
    trustProxy: config.TRUST_PROXY,
  })
  const closeRooms = async () => {
    blocklist.close()
    await logging.close()
  }
  const url = await listen(server, config.HOST, config.PORT).catch(async (error) => {
    await closeRooms()
    throw error
  })
  log.info({ version: version.version, node: version.node }, 'listening')

  return {
    url,
    stop: async () => {
      if (stopping) return
      stopping = true
      await drain(server)
      log.info('stopped')
      await closeRooms()
    },
    crash: (error) => {
      log.error({ err: error }, 'the service crashed')
      logging.flush()
    },
  }
}

async function ensureWritable(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true })
    await access(dir, constants.W_OK)
  } catch (error) {
    throw new StartError(`DATA_DIR (${dir}) must be a folder that can be written to: ${(error as Error).message}`)
  }
}

async function listen(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new StartError(whyNotListening(error, host, port))))
    server.listen({ host, port, backlog: 2048 }, resolve)
  })
  const { address, port: taken, family } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`
}

function whyNotListening({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === 'EADDRINUSE') return `Port ${port} is taken by another program; stop it or choose another PORT.`
  if (code === 'EACCES') return `This user may not listen on port ${port}; choose a PORT from 1024 up.`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return `HOST ${host} is no address of this machine.`
  return `Cannot listen on ${host}:${port}: ${message}`
}

async function drain(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // A connection that was busy at first is idle once its reply is out, and would linger.
  const idle = setInterval(() => server.closeIdleConnections(), 20)
  const force = setTimeout(() => server.closeAllConnections(), STOP_WAITS_MS)
  await closed
  clearInterval(idle)
  clearTimeout(force)
}
