import { homedir } from 'node:os'
import { join } from 'node:path'
import { getSystemErrorMessage } from 'node:util'
import pino from 'pino'
import type { Config } from '../../config/config.ts'
import { ROOT } from '../../config/root.ts'
import { LogFile, type LogFileOptions } from './log-file.ts'
import { createScrubber, shortenAddress } from './privacy.ts'

export { createRecentProblem } from './log-file.ts'
export { createScrubber, shortenAddress }

export type LogSink = Pick<LogFile, 'write' | 'problem' | 'flush' | 'close'>

interface LogOptions extends LogFileOptions {
  /** Receives the lines instead of log files of this process. */
  readonly sink?: LogSink | undefined
  /** Number of the worker, added to all lines except access log lines. */
  readonly worker?: number | undefined
  readonly level: string
  /** Paths that are removed from log lines: the logs are public. */
  readonly hiddenFolders: readonly string[]
  /** Prints warnings and errors on the terminal. */
  readonly console?: (text: string) => void
}

/** The log that every part of the service writes to. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export const silentLog: Log = { info() {}, warn() {}, error() {} }

/** An error in one of the operator's files. `file` is relative to the folder that was read; `line` counts from 1. */
export interface Problem {
  readonly file: string
  readonly line?: number
  readonly rule: string
  readonly message: string
}

/** A problem as `/readyz` and the dashboard list it. It may concern a part of the service instead of a file. */
export interface ServiceProblem extends Partial<Problem> {
  readonly part: string
  readonly message: string
  /** The service cannot work without this part: `/readyz` answers 503, so that a load balancer avoids this node. */
  readonly fatal?: boolean
}

export type Logging = ReturnType<typeof openLogging>

/** The same options in all processes of the service. */
export const readLogOptions = (config: Config) => ({
  dir: join(config.DATA_DIR, 'logs'),
  level: config.LOG_LEVEL,
  fileBytes: config.LOG_FILE_BYTES,
  files: config.LOG_FILES,
  hiddenFolders: [config.DATA_DIR, config.CONTENT_DIR, ROOT, process.cwd(), homedir()],
})

/** Log files, or standard error if they cannot be written: the service also works without log files. */
export function openLogSink(options: Pick<LogOptions, 'console'> & LogFileOptions): LogSink {
  try {
    return new LogFile(options)
  } catch (error) {
    const reason = getSystemErrorMessage((error as NodeJS.ErrnoException).errno ?? 0)
    options.console?.(
      `Log files in ${options.dir} cannot be written: ${reason}. Log lines go to standard error. ` +
        'Correct the permissions, then restart.',
    )
    return {
      write: (line) => void process.stderr.write(line),
      problem: () => `log files cannot be written (${reason}); log lines go to standard error`,
      flush() {},
      async close() {},
    }
  }
}

export function openLogging(options: LogOptions) {
  const file = options.sink ?? openLogSink(options)
  const scrub = createScrubber(options.hiddenFolders)
  const write = (line: string) => {
    const shown = scrub(line)
    file.write(shown)
    if (options.console) printWarning(options.console, shown)
  }
  const log = pino(
    {
      level: options.level,
      // pino's default would contain the host name.
      base: options.worker === undefined ? null : { worker: options.worker },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write },
  )
  return {
    log: log as Log,
    /** Writes a line that contains nothing private. Undefined if the log level excludes access lines. */
    writeAccess: log.isLevelEnabled('info') ? (line: string) => file.write(line) : undefined,
    problem: () => file.problem(),
    /** Writes buffered lines at once, for a crash. */
    flush: () => file.flush(),
    close: () => file.close(),
  }
}

const PRINTED_LEVELS = /^\{"level":"(warn|error|fatal)"/

function printWarning(print: (text: string) => void, line: string): void {
  if (!PRINTED_LEVELS.test(line)) return
  const { level, time: _, worker: __, msg, ...fields } = JSON.parse(line)
  const lines = Object.entries(fields).map(([name, value]) => {
    const shown = value instanceof Object && 'stack' in value ? value.stack : value
    return `\n    ${name}: ${typeof shown === 'string' ? shown : JSON.stringify(shown)}`
  })
  print(`${level}: ${msg ?? ''}${lines.join('')}`)
}
