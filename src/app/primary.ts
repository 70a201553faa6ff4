// The process that keeps the workers running. It opens no services.
import type { Config } from '../config/config.ts'
import { assertSharedStore } from '../config/store-url.ts'
import { checkPort } from '../http/kernel/connections.ts'
import { openLogging, openLogSink, readLogOptions } from '../platform/logging/index.ts'
import { mergeSnapshots, type Snapshot } from '../platform/metrics/index.ts'
import { type SupervisorOptions, supervise } from '../platform/workers/index.ts'
import { ensureDataDir, lockDataDir } from './data-dir.ts'
import { readStopOptions } from './shutdown.ts'

export type Primary = Awaited<ReturnType<typeof startPrimary>>

export async function startPrimary(
  config: Config,
  program: SupervisorOptions['program'],
  print: (text: string) => void,
) {
  assertSharedStore(config)
  await ensureDataDir(config.DATA_DIR)
  const lock = await lockDataDir(config.DATA_DIR)
  // Checked once here: otherwise each worker would report a port in use, and PORT=0 would give each its own port.
  const port = config.LISTEN_FDS > 0 ? config.PORT : await checkPort(config.HOST, config.PORT)
  const options = readLogOptions(config)
  const logFile = openLogSink({ ...options, console: print })
  const { log } = openLogging({ ...options, sink: logFile, console: print })
  const supervisor = supervise({
    // .env may be another one when a worker is replaced. This DATA_DIR is locked and has the log, and workers that use
    // different stores would have different counts, bans and tokens.
    program: { ...program, environment: { DATA_DIR: config.DATA_DIR, STORE_URL: config.STORE_URL } },
    workerCount: config.WORKERS,
    host: config.HOST,
    port,
    log,
    // The workers report this problem, because only they answer requests.
    logFile: { write: (lines) => logFile.write(lines), problem: () => logFile.problem() ?? lock.problem() },
    print,
    addCounters: (counters) => mergeSnapshots(counters as Snapshot[]),
  })
  const closeLog = async () => {
    log.info({}, 'stopped')
    await logFile.close()
    lock.close()
  }
  supervisor.failed.catch(closeLog)
  return {
    ...supervisor,
    async restart(show: (text: string) => void) {
      const report = (text: string) => {
        log.info({}, text)
        show(text)
      }
      report('Replacing the workers one after the other.')
      const reason = await supervisor.restart()
      if (reason === undefined) report('All workers were replaced.')
      else log.error({ reason }, 'a new worker did not start; the remaining old workers keep running')
    },
    async shutdown() {
      await supervisor.shutdown(readStopOptions(config))
      await closeLog()
    },
  }
}
