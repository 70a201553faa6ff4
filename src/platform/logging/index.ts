import { isIP, isIPv6 } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { getSystemErrorMessage } from 'node:util'
import ipaddr from 'ipaddr.js'
import pino from 'pino'
import type { Config } from '../../config/config.ts'
import { ROOT } from '../../config/root.ts'
import { LogFile, type LogFileOptions } from './log-file.ts'

export { createRecentProblem } from './log-file.ts'

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
  /** The service cannot work without this part: `/readyz` replies 503, so that a load balancer avoids this node. */
  readonly fatal?: boolean
}

export type Logging = ReturnType<typeof openLogging>

/** The same options in all processes of the service. */
export const readLogOptions = (config: Config) => ({
  dir: join(config.DATA_DIR, 'logs'),
  level: config.LOG_LEVEL,
  fileBytes: config.LOG_FILE_BYTES,
  files: config.LOG_FILES,
  hiddenFolders: [config.DATA_DIR, config.CONTENT_DIR, ROOT, process.cwd(), ...findHomeFolder()],
})

/** A user without an entry in /etc/passwd, such as that of the systemd unit on small systems, has none. */
function findHomeFolder(): string[] {
  try {
    return [homedir()]
  } catch {
    return []
  }
}

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

// Log files are public (/api/v1/static/logs): private data is removed before a line is written, so that no file on disk
// contains it.

/** The first group of 6to4 addresses (2002::/16). NAT64 and Teredo have the IPv4 address of the client after 48 bits. */
const SIX_TO_FOUR = 0x2002

/** The network of a client address: /24 for IPv4, /48 for IPv6, or /40 for 6to4, whose /48 contains an IPv4 address. */
export function shortenAddress(address: string): string {
  if (!isIP(address)) return 'unknown'
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return `${parsed.octets.slice(0, 3).join('.')}.0/24`
  const [a = 0, b = 0, c = 0] = parsed.parts
  const format = (third: number) => [a, b, third].map((group) => group.toString(16)).join(':')
  return a === SIX_TO_FOUR ? `${format(c & 0xff00)}::/40` : `${format(c)}::/48`
}

const URLS = /\b([a-z][a-z0-9+.-]{1,20}:\/\/)([^\s"'`<>\\]+)/gi
const IPV4 = /(?<!\d|\d\.)(\d{1,3}\.\d{1,3}\.\d{1,3})\.(\d{1,3})(?!\d|\.\d)(?:\/(\d{1,2})\b)?/g
const POSSIBLE_IPV6 = /(?<![\w:.])([0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,8}(?:\.\d{1,3}){0,3})(?![\w:])(?:\/(\d{1,3})\b)?/gi
/** Also after other characters, as in `key_mngc_…`. */
const SECRETS = /mng[a-z]?_[A-Za-z0-9_-]{8,}/g

/** Removes secrets, full addresses, URL paths and the host's folders from free text. */
export function createScrubber(hiddenFolders: readonly string[]): (line: string) => string {
  // The longest first, so that a folder inside another one is replaced as a whole.
  const folders = hiddenFolders.filter((path) => path.length > 1).sort((a, b) => b.length - a.length)
  return (line) => {
    let text = line
    for (const path of folders) text = text.replaceAll(`file://${path}`, '.').replaceAll(path, '.')
    return text
      .replace(SECRETS, '[secret]')
      .replace(URLS, (_, scheme: string, rest: string) => scheme + readHost(rest))
      .replace(IPV4, (found, network: string, last: string, bits?: string) =>
        last === '0' && Number(bits) <= 24 ? found : `${network}.0/24`,
      )
      .replace(POSSIBLE_IPV6, (found, address: string, bits?: string) =>
        !isIPv6(address) || isNetwork(address, Number(bits)) ? found : shortenAddress(address),
      )
  }
}

/** A /48 or a larger network that does not identify one client. */
function isNetwork(address: string, bits: number): boolean {
  if (/^2002:/.test(address)) return `${address}/${bits}` === shortenAddress(address)
  return bits <= 48 && address.endsWith('::') && address.slice(0, -2).split(':').length <= 3
}

function readHost(afterScheme: string): string {
  const authority = afterScheme.split(/[/?#]/, 1)[0] ?? ''
  return authority.slice(authority.lastIndexOf('@') + 1)
}
