// Composes settings -> log -> supervisor: the process that keeps the workers running. It opens no room.
import type { Config } from '../config/config.ts'
import { ListenError, tryPort } from '../http/kernel/listen.ts'
import { LogFile, openLogging } from '../platform/logging/index.ts'
import { addUp, type Snapshot } from '../platform/metrics/index.ts'
import { type Supervisor, type SupervisorOptions, supervise } from '../platform/workers/index.ts'
import { logOptionsOf } from './log-options.ts'
import { assertSharedStore, ensureWritable, StartError } from './preconditions.ts'

export interface Primary extends Omit<Supervisor, 'stop'> {
  stop(): Promise<void>
}

export async function startPrimary(
  config: Config,
  program: SupervisorOptions['program'],
  tell: (text: string) => void,
): Promise<Primary> {
  assertSharedStore(config)
  await ensureWritable(config.DATA_DIR)
  // Asked here once: the workers would each say that it is taken, and PORT=0 must be one port for all.
  const port = await tryPort(config.HOST, config.PORT).catch((error) => {
    throw error instanceof ListenError ? new StartError(error.message) : error
  })
  const options = logOptionsOf(config)
  const file = new LogFile(options)
  const { log } = openLogging({ ...options, sink: file, console: tell })
  const supervisor = supervise({
    program,
    workers: config.WORKERS,
    host: config.HOST,
    port,
    log,
    lines: file,
    tell,
    sum: (counts) => addUp(counts as Snapshot[]),
  })
  const close = async () => {
    log.info({}, 'stopped')
    await file.close()
  }
  supervisor.lost.catch(close)
  return {
    ...supervisor,
    async roll() {
      log.info({}, 'replacing the workers one after the other')
      const reason = await supervisor.roll()
      if (reason === undefined) log.info({}, 'all workers were replaced')
      else log.error({ reason }, 'a new worker did not come up; the others stay as they are')
      return reason
    },
    async stop() {
      await supervisor.stop(config.STOP_GRACE_SECONDS * 1000)
      await close()
    },
  }
}
