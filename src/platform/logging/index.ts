import pino from 'pino'
import { LogFile, type LogFileOptions } from './log-file.ts'
import { createScrub, cutAddress } from './privacy.ts'

export { createScrub, cutAddress, LogFile }

/** Where lines go. */
export type LogSink = Pick<LogFile, 'write' | 'problem' | 'flush' | 'close'>

export interface LogOptions extends LogFileOptions {
  /** Instead of files of its own. */
  readonly sink?: LogSink | undefined
  /** Which of several processes this is; part of each line but those of requests. */
  readonly worker?: number | undefined
  readonly level: string
  /** Folders of the host that a public log must not name. */
  readonly hiddenFolders: readonly string[]
  /** Where warnings and worse are shown to the person who started the service. */
  readonly console?: (text: string) => void
}

/** The log that every part of the service writes to. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

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

export interface Logging {
  readonly log: Log
  /** Writes a line that holds nothing private already; undefined where the level leaves such lines out. */
  readonly writeAccess: ((line: string) => void) | undefined
  problem(): string | undefined
  /** For a crash: what is in memory goes to the disk now. */
  flush(): void
  close(): Promise<void>
}

export function openLogging(options: LogOptions): Logging {
  const file = options.sink ?? new LogFile(options)
  const scrub = createScrub(options.hiddenFolders)
  const write = (line: string) => {
    const shown = scrub(line)
    file.write(shown)
    if (options.console) tellPerson(options.console, shown)
  }
  const log = pino(
    {
      level: options.level,
      // pino's own would name the host.
      base: options.worker === undefined ? null : { worker: options.worker },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write },
  )
  return {
    log,
    writeAccess: log.isLevelEnabled('info') ? (line) => file.write(line) : undefined,
    problem: () => file.problem(),
    flush: () => file.flush(),
    close: () => file.close(),
  }
}

const TOLD_LEVELS = /^\{"level":"(warn|error|fatal)"/

function tellPerson(show: (text: string) => void, line: string): void {
  if (!TOLD_LEVELS.test(line)) return
  const { level, time: _, worker: __, msg, ...rest } = JSON.parse(line)
  const facts = Object.entries(rest).map(([name, value]) => {
    const told = value instanceof Object && 'stack' in value ? value.stack : value
    return `\n    ${name}: ${typeof told === 'string' ? told : JSON.stringify(told)}`
  })
  show(`${level}: ${msg ?? ''}${facts.join('')}`)
}
