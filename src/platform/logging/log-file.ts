import { appendFileSync, closeSync, constants, existsSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs'
import { mkdir, open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { getSystemErrorMessage } from 'node:util'
import { withTimeout } from '../concurrency/index.ts'

const REPORT_DURATION_MS = 3_600_000

/** A fault that was repaired stays a problem for an hour, so that an operator learns of it. */
export function createRecentProblem(durationMs = REPORT_DURATION_MS) {
  let latest: { readonly message: string; readonly at: number } | undefined
  return {
    report(message: string): void {
      latest = { message, at: performance.now() }
    },
    message: () => (latest && performance.now() - latest.at < durationMs ? latest.message : undefined),
    forget(): void {
      latest = undefined
    },
  }
}

/** Lines are encoded in chunks: the garbage collector takes long for strings of many lines. */
const CHUNK_CHARS = 32 * 1024
/** Chunks are written in batches: starting each step of a write takes as long as a few requests. */
const BATCH_CHUNKS = 32
const WRITE_INTERVAL_MS = 200
const DELETED = 'a log file was deleted by another program; its lines are lost, and a new file was started'
/** Lines wait in memory if the disk is slow or full. Above this they are dropped and counted. */
const MAX_PENDING_BYTES = 8 * 1024 * 1024

/** A disk that does not answer must not delay the shutdown for longer. */
const CLOSE_TIMEOUT_MS = 2000

/** A pipe in the place of a log file must not block the service until somebody reads it. */
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK

const FILE_NAME = /^menagerie\.(\d{4}-\d\d-\d\d)(?:\.(\d+))?\.log$/

export interface LogFileOptions {
  readonly dir: string
  /** Size at which the next file starts. */
  readonly fileBytes: number
  /** Number of files to keep. */
  readonly files: number
}

interface Batch {
  readonly file: string
  readonly chunks: Buffer[]
}

/**
 * Writes lines in batches, off the request path. Starts a new file every UTC day, and when a file reaches `fileBytes`.
 * Deletes old files.
 */
export class LogFile {
  readonly #options: LogFileOptions
  readonly #timer: NodeJS.Timeout
  /** Lines that are lost: a deleted file, or dropped lines. */
  readonly #lost = createRecentProblem()
  /** The last file that was written to, or empty if it was deleted. */
  #lastFile: string
  #day = currentDay()
  #index: number
  #fileBytes: number
  #hasNewFile = true
  #lines = ''
  #chunks: Buffer[] = []
  /** Batches to write. The first one is being written. */
  #batches: Batch[] = []
  #writing: Promise<void> | undefined
  #dropped = 0
  #error: string | undefined

  /** Throws the error of the system if the file cannot be opened. */
  constructor(options: LogFileOptions) {
    this.#options = options
    mkdirSync(options.dir, { recursive: true })
    this.#index = listLogs(options.dir).find(({ day }) => day === this.#day)?.index ?? 0
    this.#lastFile = this.#path()
    closeSync(openSync(this.#lastFile, APPEND))
    this.#fileBytes = statSync(this.#path()).size
    this.#timer = setInterval(() => {
      if (currentDay() !== this.#day) this.#startFile(currentDay(), 0)
      this.#findDeletedFile()
      void this.#writeAll()
    }, WRITE_INTERVAL_MS).unref()
  }

  write(line: string): void {
    if (this.#fileBytes >= this.#options.fileBytes) this.#startFile(this.#day, this.#index + 1)
    this.#fileBytes += line.length
    this.#lines += line
    if (this.#lines.length < CHUNK_CHARS) return
    this.#addChunk()
    if (this.#chunks.length >= BATCH_CHUNKS) void this.#writeAll()
  }

  /** A problem with the log, for `/readyz`. */
  problem(): string | undefined {
    if (this.#error) return `log lines cannot be written: ${this.#error}`
    return this.#lost.message()
  }

  /** Writes all lines synchronously before a crash. A batch that is being written may appear twice. */
  flush(): void {
    this.#addBatch()
    try {
      for (const { file, chunks } of this.#batches) {
        const fd = openSync(file, APPEND)
        appendFileSync(fd, Buffer.concat(chunks))
        closeSync(fd)
      }
    } catch {
      // The disk may be full. The error of the crash is more important.
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await withTimeout(CLOSE_TIMEOUT_MS, this.#writeAll(), () => {})
  }

  /** Batches that cannot be written stay for the next call. */
  async #writeAll(): Promise<void> {
    this.#addBatch()
    if (this.#batches.length > 0) this.#writing ??= this.#writeBatches()
    await this.#writing
  }

  async #writeBatches(): Promise<void> {
    try {
      // Lines can arrive during each `await`, also while old files are deleted.
      while (this.#batches[0] || this.#hasNewFile) {
        if (this.#batches[0]) await this.#writeBatch(this.#batches[0])
        else await this.#deleteOldFiles()
      }
      this.#error = undefined
    } catch (error) {
      this.#error = getSystemErrorMessage((error as NodeJS.ErrnoException).errno ?? 0)
    } finally {
      this.#writing = undefined
    }
  }

  async #writeBatch(batch: Batch): Promise<void> {
    await append(batch)
    if (batch.file !== this.#lastFile) this.#hasNewFile = true
    this.#lastFile = batch.file
    this.#batches.shift()
  }

  #findDeletedFile(): void {
    if (this.#writing || this.#lastFile !== this.#path() || existsSync(this.#lastFile)) return
    this.#lastFile = ''
    this.#lost.report(DELETED)
    this.write(`${JSON.stringify({ level: 'warn', time: new Date().toISOString(), msg: DELETED })}\n`)
  }

  #addChunk(): void {
    this.#chunks.push(Buffer.from(this.#lines))
    this.#lines = ''
  }

  #addBatch(): void {
    if (this.#lines !== '') this.#addChunk()
    const chunks = this.#chunks
    if (chunks.length === 0) return
    this.#chunks = []
    if (countBytes(this.#batches.flatMap((batch) => batch.chunks)) <= MAX_PENDING_BYTES)
      this.#batches.push({ file: this.#path(), chunks })
    else {
      this.#dropped += Buffer.concat(chunks).toString().split('\n').length - 1
      this.#lost.report(`${this.#dropped} log lines were dropped because the disk was too slow`)
    }
  }

  #startFile(day: string, index: number): void {
    this.#addBatch()
    this.#day = day
    this.#index = index
    this.#fileBytes = 0
  }

  #path(): string {
    const index = this.#index === 0 ? '' : `.${this.#index}`
    return join(this.#options.dir, `menagerie.${this.#day}${index}.log`)
  }

  async #deleteOldFiles(): Promise<void> {
    this.#hasNewFile = false
    const { dir, files } = this.#options
    const logs = listLogs(dir)
    // The clock may have been ahead: those files must not take the place of new ones.
    const isFuture = ({ day }: { day: string }) => day > this.#day
    const newestFirst = [...logs.filter((log) => !isFuture(log)), ...logs.filter(isFuture)]
    for (const { name } of newestFirst.slice(files)) await rm(join(dir, name), { force: true })
  }
}

/** Removes the written bytes from the batch. */
async function append({ file, chunks }: Batch): Promise<void> {
  await using handle = await openForAppending(file)
  while (chunks.length > 0) {
    let { bytesWritten } = await handle.writev(chunks)
    while (chunks[0] && bytesWritten >= chunks[0].length) bytesWritten -= chunks.shift()?.length ?? 0
    if (chunks[0]) chunks[0] = chunks[0].subarray(bytesWritten)
  }
}

const countBytes = (chunks: readonly Buffer[]) => chunks.reduce((sum, { length }) => sum + length, 0)

/** Creates the folder, which may have been deleted. */
const openForAppending = (file: string) =>
  open(file, APPEND).catch(async (error) => {
    if (error.code !== 'ENOENT') throw error
    await mkdir(dirname(file), { recursive: true })
    return open(file, APPEND)
  })

const currentDay = () => new Date().toISOString().slice(0, 10)

/** The log files of the service, newest first. */
function listLogs(dir: string) {
  return readdirSync(dir)
    .map((name) => FILE_NAME.exec(name))
    .filter((match) => match !== null)
    .map(([name, day, index]) => ({ name, day: day ?? '', index: Number(index ?? 0) }))
    .sort((a, b) => b.day.localeCompare(a.day) || b.index - a.index)
}
