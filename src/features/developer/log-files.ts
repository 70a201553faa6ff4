import type { Stats } from 'node:fs'
import { type FileHandle, open, readdir, stat } from 'node:fs/promises'
import { LRUCache } from 'lru-cache'
import { resolveInside } from '../../platform/files/index.ts'

const TAIL_CHUNK_BYTES = 64 * 1024
/** Keeps a reply small and fast, however long the lines are. */
const MAX_TAIL_BYTES = 1024 * 1024
const COUNT_CHUNK_BYTES = 1024 * 1024
const MAX_CACHED_COUNTS = 64
const NEWLINE = 10

export interface LogEntry {
  readonly fileName: string
  readonly size: number
  readonly modifiedAt: string
}

export interface LogContent extends LogEntry {
  /** Number of lines in the file. */
  readonly total: number
  /** The file has more lines than `lines`. */
  readonly truncated: boolean
  /** The newest lines, in the order of the file. */
  readonly lines: unknown[]
}

/** The public log files. */
export class LogFiles {
  readonly #dir: string
  readonly #lineCounter = new LineCounter()

  constructor(dir: string) {
    this.#dir = dir
  }

  /** Newest first. */
  async list(): Promise<LogEntry[]> {
    const names = await readdir(this.#dir).catch(() => [])
    const newestFirst = names.sort().reverse()
    const entries = await Promise.all(newestFirst.map((name) => this.#readEntry(name)))
    return entries.filter((entry) => entry !== undefined)
  }

  /** Undefined: there is no such log file. */
  async read(fileName: string, maxLines: number): Promise<LogContent | undefined> {
    const path = await this.#resolve(fileName)
    if (!path) return undefined
    try {
      await using handle = await open(path)
      const stats = await handle.stat()
      if (!stats.isFile()) return undefined
      const [texts, total] = await Promise.all([
        readLastLines(handle, stats.size, maxLines),
        this.#lineCounter.count(path, handle, stats),
      ])
      return {
        fileName,
        size: stats.size,
        modifiedAt: stats.mtime.toISOString(),
        total,
        truncated: texts.length < total,
        lines: texts.map(parseLine),
      }
    } catch {
      return undefined // The file was removed or rotated meanwhile.
    }
  }

  async #readEntry(fileName: string): Promise<LogEntry | undefined> {
    const path = await this.#resolve(fileName)
    const stats = path ? await stat(path).catch(() => undefined) : undefined
    if (!stats?.isFile()) return undefined
    return { fileName, size: stats.size, modifiedAt: stats.mtime.toISOString() }
  }

  /** Accepts only log files directly in the folder. */
  async #resolve(fileName: string): Promise<string | undefined> {
    return fileName.includes('/') || !fileName.endsWith('.log') ? undefined : resolveInside(this.#dir, fileName)
  }
}

/** A line that is not a JSON object is returned as text. */
function parseLine(text: string): unknown {
  try {
    const value = JSON.parse(text)
    if (value instanceof Object && !Array.isArray(value)) return value
  } catch {}
  return { text }
}

/** Reads the last complete lines of a file from its end. */
async function readLastLines(handle: FileHandle, size: number, maxLines: number): Promise<string[]> {
  let start = size
  let tail: Buffer = Buffer.alloc(0)
  let newlines = 0
  // One newline more than lines: the one before the first line.
  while (start > 0 && newlines <= maxLines && tail.length < MAX_TAIL_BYTES) {
    const length = Math.min(TAIL_CHUNK_BYTES, start)
    start -= length
    const chunk = Buffer.alloc(length)
    const { bytesRead } = await handle.read(chunk, 0, length, start)
    if (bytesRead < length) return [] // The file was truncated meanwhile.
    newlines += countNewlines(chunk)
    tail = Buffer.concat([chunk, tail])
  }
  const lines = tail.toString('utf8').split('\n')
  const isFirstIncomplete = start > 0
  if (isFirstIncomplete) lines.shift()
  // The text after the last newline is a line that is still being written.
  lines.pop()
  return lines.slice(-maxLines)
}

interface LineCount {
  readonly inode: number
  readonly size: number
  readonly lines: number
}

/** Counts the lines of growing files. Only the added part is read again. */
class LineCounter {
  readonly #counts = new LRUCache<string, Promise<LineCount>>({ max: MAX_CACHED_COUNTS })

  async count(path: string, handle: FileHandle, stats: Stats): Promise<number> {
    // Concurrent calls wait for each other, so that a large file is read once.
    const previous = this.#counts.get(path)
    const next = Promise.resolve(previous).then(
      (count) => continueCount(handle, stats, count),
      () => continueCount(handle, stats, undefined),
    )
    this.#counts.set(path, next)
    return (await next).lines
  }
}

async function continueCount(handle: FileHandle, { ino, size }: Stats, previous?: LineCount): Promise<LineCount> {
  const hasGrown = previous !== undefined && previous.inode === ino && previous.size <= size
  let lines = hasGrown ? previous.lines : 0
  let position = hasGrown ? previous.size : 0
  const chunk = Buffer.allocUnsafe(COUNT_CHUNK_BYTES)
  while (position < size) {
    const { bytesRead } = await handle.read(chunk, 0, Math.min(COUNT_CHUNK_BYTES, size - position), position)
    if (bytesRead === 0) break
    lines += countNewlines(chunk.subarray(0, bytesRead))
    position += bytesRead
  }
  return { inode: ino, size: position, lines }
}

function countNewlines(bytes: Uint8Array): number {
  let count = 0
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count++
  return count
}
