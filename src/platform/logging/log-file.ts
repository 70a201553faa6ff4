import { appendFileSync, closeSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import pino from 'pino'
import { withTimeout } from '../concurrency/index.ts'

// On each write, pino's writer measures its whole buffer. Done per line, that cost more than the rest of a request.
const BATCH_CHARS = 128 * 1024
const WRITE_INTERVAL_MS = 200
// Lines wait in memory if the disk is slow. Above this they are dropped and counted.
const MAX_PENDING_BYTES = 8 * 1024 * 1024

// A disk that does not answer must not delay the shutdown for longer.
const CLOSE_TIMEOUT_MS = 2000

const FILE_NAME = /^menagerie\.(\d{4}-\d\d-\d\d)(?:\.(\d+))?\.log$/

export interface LogFileOptions {
  readonly dir: string
  /** Size at which the next file starts. */
  readonly fileBytes: number
  /** Number of files to keep. */
  readonly files: number
}

/**
 * Writes lines in batches, off the request path. Starts a new file every UTC day, and when a file reaches `fileBytes`.
 * Deletes old files.
 */
export class LogFile {
  readonly #options: LogFileOptions
  readonly #out: ReturnType<typeof pino.destination>
  #day: string
  #index: number
  #bytes: number
  #dropped = 0
  #error: string | undefined
  #batch = ''
  /** Pending while a file is being opened. */
  #opening: PromiseWithResolvers<void> | undefined = Promise.withResolvers()
  readonly #timer: NodeJS.Timeout

  /** Throws the error of the system if the file cannot be opened. */
  constructor(options: LogFileOptions) {
    this.#options = options
    mkdirSync(options.dir, { recursive: true })
    this.#day = currentDay()
    this.#index = listLogs(options.dir).find(({ day }) => day === this.#day)?.index ?? 0
    // pino's writer would report only later that it cannot open the file.
    closeSync(openSync(this.#path(), 'a'))
    this.#bytes = statSync(this.#path()).size
    this.#out = pino.destination({
      dest: this.#path(),
      append: true,
      sync: false,
      minLength: 0,
      maxWrite: BATCH_CHARS,
      maxLength: MAX_PENDING_BYTES,
    })
    this.#out.once('ready', this.#onOpened)
    this.#out.on('drop', (batch: string) => {
      this.#dropped += batch.split('\n').length - 1
    })
    this.#out.on('error', (error: Error) => {
      this.#error = error.message
      this.#onOpened()
    })
    this.#out.on('write', () => {
      this.#error = undefined
    })
    this.#timer = setInterval(() => {
      const day = currentDay()
      if (day !== this.#day && !this.#opening) this.#startFile(day, 0)
      this.#writeBatch()
    }, WRITE_INTERVAL_MS).unref()
    this.#deleteOldFiles()
  }

  write(line: string): void {
    if (this.#bytes >= this.#options.fileBytes && !this.#opening) this.#startFile(this.#day, this.#index + 1)
    this.#bytes += line.length
    this.#batch += line
    if (this.#batch.length >= BATCH_CHARS) this.#writeBatch()
  }

  /** A problem with the log, for `/readyz`. */
  problem(): string | undefined {
    if (this.#error) return `log lines cannot be written: ${this.#error}`
    return this.#dropped > 0 ? `${this.#dropped} log lines were dropped because the disk was too slow` : undefined
  }

  /**
   * For a crash. pino's writer waits without end for space on a full disk, even while the process exits: so a plain write
   * is tried first.
   */
  flush(): void {
    try {
      appendFileSync(this.#path(), this.#takeBatch())
      this.#out.flushSync()
    } catch {
      // The file is not open yet, or the disk is full: the exit must not hang, and the crash must stay visible.
      this.#out.destroy()
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    // pino's writer never closes if it is ended while it opens another file.
    await this.#opening?.promise
    this.#writeBatch()
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    this.#out.once('close', resolve).once('error', () => resolve())
    this.#out.end()
    await withTimeout(CLOSE_TIMEOUT_MS, closed, () => {})
    // Otherwise pino would retry without end to write the rest to a full disk when the process exits.
    this.#out.destroy()
  }

  #writeBatch(): void {
    if (this.#batch !== '') this.#out.write(this.#takeBatch())
  }

  #takeBatch(): string {
    const lines = this.#batch
    this.#batch = ''
    return lines
  }

  #startFile(day: string, index: number): void {
    this.#writeBatch()
    this.#day = day
    this.#index = index
    this.#bytes = 0
    this.#opening = Promise.withResolvers()
    try {
      // The folder may have been deleted.
      mkdirSync(this.#options.dir, { recursive: true })
      this.#deleteOldFiles()
    } catch {
      // Opening the file reports whether the folder is usable.
    }
    // pino's writer closes the old file when the new one is open. After a failed attempt it would close it twice, and by then
    // the file descriptor may belong to a connection.
    this.#out.removeAllListeners('ready').once('ready', this.#onOpened)
    this.#out.reopen(this.#path())
  }

  readonly #onOpened = () => {
    this.#opening?.resolve()
    this.#opening = undefined
  }

  #path(): string {
    const index = this.#index === 0 ? '' : `.${this.#index}`
    return join(this.#options.dir, `menagerie.${this.#day}${index}.log`)
  }

  #deleteOldFiles(): void {
    const current = basename(this.#path())
    const others = listLogs(this.#options.dir).filter(({ name }) => name !== current)
    for (const { name } of others.slice(this.#options.files - 1))
      rm(join(this.#options.dir, name), { force: true }).catch(() => {})
  }
}

const currentDay = () => new Date().toISOString().slice(0, 10)

/** The log files of the service, newest first. */
function listLogs(dir: string) {
  return readdirSync(dir)
    .map((name) => FILE_NAME.exec(name))
    .filter((match) => match !== null)
    .map(([name, day, index]) => ({ name, day: day ?? '', index: Number(index ?? 0) }))
    .sort((a, b) => b.day.localeCompare(a.day) || b.index - a.index)
}
