// How `serve` runs: as a single process, as the primary of several workers, or as one of these workers.
import { existsSync } from 'node:fs'
import { cp, rename, rm } from 'node:fs/promises'
import { relative } from 'node:path'
import type { Primary } from '../app/primary.ts'
import { readStopOptions } from '../app/shutdown.ts'
import type { Service } from '../app/start-service.ts'
import type { Config, Environment } from '../config/config.ts'
import { assertSharedStore, parseStoreUrl } from '../config/store-url.ts'
import { createSerialRun } from '../platform/concurrency/index.ts'
import { connectToPrimary, isWorker, type ShutdownOptions } from '../platform/workers/index.ts'
import type { CommandInput } from './command.ts'
import { formatCommand } from './help.ts'

export async function serve(input: CommandInput): Promise<void> {
  if (isWorker()) return serveAsWorker(input)
  const hasNewContent = await createFirstContent(input)
  return input.config.WORKERS > 1 ? serveAsPrimary(input, hasNewContent) : serveAsSingleProcess(input, hasNewContent)
}

async function serveAsSingleProcess({ config, json, note, environment }: CommandInput, hasNewContent: boolean) {
  const print = json ? note : printIndented
  const moreSignals = handleHangUp(() => print('SIGHUP needs WORKERS above 1. Restart this process instead.'))
  let service: Service | undefined
  const stop = () => service?.stop(readStopOptions(config)) ?? exitDuringStart()
  const stopped = stopOn(['SIGINT', 'SIGTERM', ...moreSignals], print, stop)

  const { startService } = await import('../app/start-service.ts')
  service = await startService(config, note)
  const { url } = service
  const isWanted = config.SIGN_IN_LINK === 'always' || (config.SIGN_IN_LINK === 'terminal' && process.stdout.isTTY)
  // A secret must not be in a log file. The output of a container is one, so only a terminal gets the link by default.
  const signInUrl = isWanted ? service.createSignInUrl() : undefined
  const reply = { success: true, url, signInUrl }
  const text = () => welcome(url, config, environment, hasNewContent, signInUrl)
  process.stdout.write(json ? `${JSON.stringify(reply)}\n` : text())
  exitOnCrash(service.crash)
  await stopped
}

/** There is nothing to finish yet. Without this the first process of a container would ignore the signal. */
const exitDuringStart = () => process.exit(0)

/** Each worker runs the same command again. */
async function serveAsPrimary({ config, json, note, environment }: CommandInput, hasNewContent: boolean) {
  const print = json ? note : printIndented
  let primary: Primary | undefined
  // A signal during a restart causes another one after it.
  const moreSignals = handleHangUp(createSerialRun(async () => primary?.restart(print)).run)
  let isStopping = false
  const stop = () => {
    isStopping = true
    return primary?.shutdown() ?? exitDuringStart()
  }
  const stopped = stopOn(['SIGINT', 'SIGTERM', ...moreSignals], print, stop)

  const { startPrimary } = await import('../app/primary.ts')
  const [, file = '', ...args] = process.argv
  primary = await startPrimary(config, { file, args }, note)
  // A stop kills workers that are not ready yet, so `ready` rejects before `stopped` resolves.
  const ready = primary.ready.catch((error) => (isStopping ? stopped : Promise.reject(error)))
  const url = await Promise.race([ready, stopped])
  if (url === undefined) return
  const reply = { success: true, url, workers: config.WORKERS }
  process.stdout.write(json ? `${JSON.stringify(reply)}\n` : welcome(url, config, environment, hasNewContent))
  await Promise.race([stopped, primary.failed])
}

/** The primary prints, writes the log, and decides when to stop. */
async function serveAsWorker({ config: ownConfig }: CommandInput): Promise<void> {
  // A terminal sends these to every process of the group; only the primary handles them.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
  const worker = await connectToPrimary()
  const { shutdownRequested, host, port, workerCount } = worker
  let isServing = false
  // A shutdown before the service is ready: there is nothing to finish.
  void shutdownRequested.then(() => isServing || process.exit(0))

  // .env may have changed since the primary read it; these settings must be the same in all processes.
  const config = { ...ownConfig, HOST: host, PORT: port, WORKERS: workerCount }
  const { startService } = await import('../app/start-service.ts')
  assertSharedStore(config)
  const service = await startService(config, worker.print, worker)
  isServing = true
  exitOnCrash(service.crash)
  worker.reportReady(service.url)

  const terminated = new Promise<ShutdownOptions>((resolve) => {
    process.on('SIGTERM', () => resolve({ graceMs: 0, lingerMs: 0 }))
  })
  await service.stop(await Promise.race([shutdownRequested, terminated]))
  await worker.disconnect()
}

const printIndented = (text: string) => void process.stdout.write(`  ${text}\n`)

// The start script and the terminal may both pass on one Ctrl-C.
const SAME_SIGNAL_MS = 1000

/** Stops on the first signal and exits at once on the second. Resolves when the service has stopped. */
function stopOn(signals: readonly NodeJS.Signals[], print: (text: string) => void, stop: () => Promise<void>) {
  return new Promise<void>((resolve, reject) => {
    let firstAt: number | undefined
    const onSignal = () => {
      if (firstAt !== undefined && Date.now() - firstAt > SAME_SIGNAL_MS) process.exit(1)
      if (firstAt !== undefined) return
      firstAt = Date.now()
      print('Stopping. Requests in progress are completed first.')
      stop().then(resolve, reject)
    }
    for (const signal of signals) process.on(signal, onSignal)
  })
}

/**
 * SIGHUP from a service manager means "reload". From a terminal it means that the terminal was closed, and nobody is left
 * to stop the service: then it is one of the returned stop signals.
 */
function handleHangUp(reload: () => void): readonly NodeJS.Signals[] {
  if (process.stdin.isTTY || process.stdout.isTTY) return ['SIGHUP']
  process.on('SIGHUP', reload)
  return []
}

function exitOnCrash(logCrash: (error: unknown) => void): void {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error) => {
      logCrash(error)
      process.exit(1)
    })
  }
}

function welcome(url: string, config: Config, environment: Environment, hasNewContent: boolean, signInUrl?: string) {
  const shown = config.PUBLIC_URL || url
  const folder = (path: string) => (relative(process.cwd(), path).startsWith('..') ? path : `./${relative('', path)}`)
  // Without the dashes, npm itself would read --help.
  const help = environment.npm_lifecycle_event === 'start' ? 'npm start -- --help' : formatCommand('serve --help')
  const workers = config.WORKERS > 1 ? `    Workers   ${config.WORKERS}\n` : ''
  const link = signInUrl
    ? `\n  Sign in to the dashboard with this link. It works once, within 10 minutes, on this machine:\n\n    ${signInUrl}\n`
    : ''
  const newContent = hasNewContent
    ? `\n  The content is a copy of the shipped examples. Edit it to make it your own.
  ${formatCommand('init .')} adds a file with all settings (.env) and a README.\n`
    : ''
  return `
  Menagerie is running

    Pages     ${shown}/
    Service   ${shown}/api
    Reference ${shown}/docs
    Dashboard ${shown}/operator
    Content   ${folder(config.CONTENT_DIR)}
    Data      ${folder(config.DATA_DIR)}
${workers}${newContent}${link}
  Press Ctrl-C to stop. ${help} lists the settings.

`
}

/**
 * Copies the shipped content to CONTENT_DIR at the first start in an empty folder, so that the service has a blocklist
 * and examples, and can publish. If DATA_DIR exists, this is not the first start: the content was lost, and `/readyz`
 * reports it. With Redis, a node gets the content from there.
 */
async function createFirstContent({ config, settings }: CommandInput): Promise<boolean> {
  const { CONTENT_DIR, DATA_DIR, STORE_URL } = config
  const isLocal = STORE_URL === '' || parseStoreUrl(STORE_URL).kind === 'sqlite'
  const isFirst = !existsSync(CONTENT_DIR) && !existsSync(DATA_DIR)
  if (settings.namesSet.includes('CONTENT_DIR') || !isLocal || !isFirst) return false
  const { starterDir } = await import('../features/content/index.ts')
  // Renamed at the end: half a copy would look like content without a blocklist.
  const copy = `${CONTENT_DIR}.new-${process.pid}`
  try {
    await cp(starterDir, copy, { recursive: true })
    await rename(copy, CONTENT_DIR)
    return true
  } catch {
    // The folder is not writable. `/readyz` reports that the content is missing.
    await rm(copy, { recursive: true, force: true }).catch(() => {})
    return false
  }
}
