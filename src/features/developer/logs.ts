import { open, readdir, stat } from 'node:fs/promises'
import { resolveInside } from '../../platform/files/index.ts'
import { LineCounter } from './line-counter.ts'
import { readTail } from './tail.ts'

export interface LogEntry {
  readonly fileName: string
  readonly size: number
  readonly modifiedAt: string
}

export interface LogContent extends LogEntry {
  /** Lines of the whole file. */
  readonly total: number
  /** There are more lines than are shown. */
  readonly truncated: boolean
  /** The newest lines, oldest of them first. */
  readonly lines: unknown[]
}

/** The log files as anyone may read them. */
export class LogFiles {
  readonly #dir: string
  readonly #counter = new LineCounter()

  constructor(dir: string) {
    this.#dir = dir
  }

  async list(): Promise<LogEntry[]> {
    const names = await readdir(this.#dir).catch(() => [])
    const entries = await Promise.all(
      names
        .sort()
        .reverse()
        .map((name) => this.#entry(name)),
    )
    return entries.filter((entry) => entry !== undefined)
  }

  async read(fileName: string, most: number): Promise<LogContent | undefined> {
    const path = await this.#path(fileName)
    if (!path) return undefined
    try {
      await using handle = await open(path)
      const stats = await handle.stat()
      if (!stats.isFile()) return undefined
      const [texts, total] = await Promise.all([
        readTail(handle, stats.size, most),
        this.#counter.count(path, handle, stats),
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
      return undefined // It was removed, or turned, while it was read.
    }
  }

  async #entry(fileName: string): Promise<LogEntry | undefined> {
    const path = await this.#path(fileName)
    const stats = path ? await stat(path).catch(() => undefined) : undefined
    if (!stats?.isFile()) return undefined
    return { fileName, size: stats.size, modifiedAt: stats.mtime.toISOString() }
  }

  /** Only files of the folder itself, and only logs. */
  async #path(fileName: string): Promise<string | undefined> {
    return fileName.includes('/') || !fileName.endsWith('.log') ? undefined : resolveInside(this.#dir, fileName)
  }
}

/** A line that is no JSON object, of another program or half written, is shown as text. */
function parseLine(text: string): unknown {
  try {
    const value = JSON.parse(text)
    if (value instanceof Object && !Array.isArray(value)) return value
  } catch {}
  return { text }
}
