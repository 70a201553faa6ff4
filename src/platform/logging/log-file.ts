import { appendFileSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import pino from 'pino'

// Lines are gathered here before pino's writer gets them: it measures all that it holds again at each line, which cost
// more than the rest of a request.
const HAND_OVER_AT = 128 * 1024
const HAND_OVER_EVERY_MS = 200
// Lines wait in memory where the disk is slow; beyond this they are dropped and counted, the service goes on.
const MAX_WAITING_BYTES = 8 * 1024 * 1024

// A disk that does not answer must not keep the service from stopping.
const CLOSE_MS = 2000

const NAME = /^menagerie\.(\d{4}-\d\d-\d\d)(?:\.(\d+))?\.log$/

export interface LogFileOptions {
  readonly dir: string
  /** Size at which the next file is begun. */
  readonly fileBytes: number
  /** How many files are kept. */
  readonly files: number
}

/** Lines are written in batches off the request path; a new file begins each UTC day and at a size, old ones go. */
export class LogFile {
  readonly #options: LogFileOptions
  readonly #out: ReturnType<typeof pino.destination>
  #day: string
  #index: number
  #bytes: number
  #dropped = 0
  #failure: string | undefined
  #gathered = ''
  /** A file is being opened. */
  #turning: PromiseWithResolvers<void> | undefined = Promise.withResolvers()
  readonly #regularly: NodeJS.Timeout

  constructor(options: LogFileOptions) {
    this.#options = options
    mkdirSync(options.dir, { recursive: true })
    this.#day = today()
    this.#index = newestIndex(options.dir, this.#day)
    this.#bytes = sizeOf(this.#path())
    this.#out = pino.destination({
      dest: this.#path(),
      append: true,
      sync: false,
      minLength: 0,
      maxWrite: HAND_OVER_AT,
      maxLength: MAX_WAITING_BYTES,
    })
    this.#out.once('ready', this.#turned)
    this.#out.on('drop', () => this.#dropped++)
    this.#out.on('error', (error: Error) => {
      this.#failure = error.message
      this.#turned()
    })
    this.#out.on('write', () => {
      this.#failure = undefined
    })
    this.#regularly = setInterval(() => {
      const day = today()
      if (day !== this.#day && !this.#turning) this.#next(day, 0)
      this.#handOver()
    }, HAND_OVER_EVERY_MS).unref()
    this.#prune()
  }

  write(line: string): void {
    if (this.#bytes >= this.#options.fileBytes && !this.#turning) this.#next(this.#day, this.#index + 1)
    this.#bytes += line.length
    this.#gathered += line
    if (this.#gathered.length >= HAND_OVER_AT) this.#handOver()
  }

  /** What is wrong with the log, for /readyz. */
  problem(): string | undefined {
    if (this.#failure) return `log lines cannot be written: ${this.#failure}`
    return this.#dropped > 0 ? `${this.#dropped} log lines were dropped because the disk was too slow` : undefined
  }

  /** For a crash. pino's writer waits for ever for room on a full disk, also when the process ends: so it is tried first. */
  flush(): void {
    const lines = this.#gathered
    this.#gathered = ''
    try {
      appendFileSync(this.#path(), lines)
      this.#out.flushSync()
    } catch {
      // The file is not open yet or the disk refuses: a crash must neither hide its cause nor hang.
      this.#out.destroy()
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#regularly)
    // pino's writer never closes where it is told to end while it turns to another file.
    await this.#turning?.promise
    this.#handOver()
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    this.#out.once('close', resolve).once('error', () => resolve())
    const enough = setTimeout(resolve, CLOSE_MS)
    this.#out.end()
    await closed
    clearTimeout(enough)
    // What a full disk did not take would be tried again when the process ends, and for ever.
    this.#out.destroy()
  }

  #handOver(): void {
    if (this.#gathered === '') return
    const lines = this.#gathered
    this.#gathered = ''
    this.#out.write(lines)
  }

  #next(day: string, index: number): void {
    this.#handOver()
    this.#day = day
    this.#index = index
    this.#bytes = 0
    this.#turning = Promise.withResolvers()
    try {
      // Somebody may have removed it.
      mkdirSync(this.#options.dir, { recursive: true })
      this.#prune()
    } catch {
      // The folder is away, or too many files are open: whether there can be a next file is told by its opening.
    }
    // pino's writer closes the old file when the new one is open. After a turn that failed it would do so twice, and by
    // then its number may be that of a connection.
    this.#out.removeAllListeners('ready').once('ready', this.#turned)
    this.#out.reopen(this.#path())
  }

  readonly #turned = () => {
    this.#turning?.resolve()
    this.#turning = undefined
  }

  #path(): string {
    const index = this.#index === 0 ? '' : `.${this.#index}`
    return join(this.#options.dir, `menagerie.${this.#day}${index}.log`)
  }

  #prune(): void {
    const current = basename(this.#path())
    const others = listLogs(this.#options.dir).filter(({ name }) => name !== current)
    for (const { name } of others.slice(this.#options.files - 1))
      rm(join(this.#options.dir, name), { force: true }).catch(() => {})
  }
}

const today = () => new Date().toISOString().slice(0, 10)

/** The service's own log files, newest first. */
function listLogs(dir: string) {
  return readdirSync(dir)
    .map((name) => NAME.exec(name))
    .filter((match) => match !== null)
    .map(([name, day, index]) => ({ name, day: day ?? '', index: Number(index ?? 0) }))
    .sort((a, b) => b.day.localeCompare(a.day) || b.index - a.index)
}

const newestIndex = (dir: string, day: string) => listLogs(dir).find((log) => log.day === day)?.index ?? 0

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
