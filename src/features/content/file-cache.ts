import { appendFile } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { isSameStamp, readRegularFile, type Stamp, writeAtomically } from '../../platform/files/index.ts'
import type { Log } from '../../platform/logging/index.ts'

/** First line of the file. Increase the number when the rules for files change. */
const HEADER = 'menagerie content cache 3'
const LINES_PER_TURN = 2000
const FLUSH_DELAY_MS = 1000
const MAX_DEAD_LINES = 1000
/** A cached file with this size was removed. */
const REMOVED = -1

export type FileCache<T> = Awaited<ReturnType<typeof openFileCache<T>>>

type Line<T> = [path: string, size: number, mtimeMs: number, result: T]

/**
 * Stores results of reading files across restarts: reading 100,000 pictures again takes much longer. The cache is a text
 * file with one JSON line per result; the last line about a path is valid. Without `file` nothing is stored. If several
 * processes use the file, only one of them may write.
 */
export async function openFileCache<T>(file: string | undefined, log: Log, { isWritable = true } = {}) {
  const stored = new Map<string, Line<T>>()
  let waiting: string[] = []
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()
  let hasFailed = false
  let taken = 0

  const logFailure = async (work: () => Promise<void>) => {
    try {
      await work()
      hasFailed = false
    } catch (err) {
      if (!hasFailed) log.warn({ err }, 'the content cache cannot be written; the next start reads all files again')
      hasFailed = true
    }
  }

  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const text = waiting.join('')
    waiting = []
    if (file && text) writing = writing.then(() => logFailure(() => appendFile(file, text)))
    return writing
  }

  if (file) {
    const text = (await readRegularFile(file).catch(() => '')).toString()
    const lines = text.startsWith(`${HEADER}\n`) ? text.split('\n') : []
    await parseLines(lines, stored)
    if (isWritable && (lines.length === 0 || lines.length > 2 * stored.size + MAX_DEAD_LINES)) {
      const compact = [...stored.values()].map((line) => JSON.stringify(line))
      await logFailure(() => writeAtomically(file, [HEADER, ...compact, ''].join('\n')))
    }
  }

  const write = (line: Line<T | null>) => {
    if (!isWritable) return
    waiting.push(`${JSON.stringify(line)}\n`)
    timer ??= setTimeout(flush, FLUSH_DELAY_MS).unref()
  }

  return {
    /** The last result for the file. Each one is returned once, so that the memory is freed. */
    take(path: string, stamp: Stamp): { readonly result: T; readonly isCurrent: boolean } | undefined {
      const line = stored.get(path)
      if (!line) return undefined
      taken++
      stored.delete(path)
      return { result: line[3], isCurrent: isSameStamp({ size: line[1], mtimeMs: line[2] }, stamp) }
    },
    put(path: string, stamp: Stamp, result: T): void {
      if (file) write([path, stamp.size, stamp.mtimeMs, result])
    },
    /** Drops results that were not taken: their files no longer exist. */
    dropRest(): void {
      // The folder is missing; perhaps its disk is not mounted yet.
      if (taken === 0) return
      if (stored.size > MAX_DEAD_LINES) for (const path of stored.keys()) write([path, REMOVED, 0, null])
      stored.clear()
    },
    close: flush,
  }
}

/** Ignores a line that a crash cut off; its file is read again. */
async function parseLines<T>(lines: string[], stored: Map<string, Line<T>>) {
  for (const [index, text] of lines.entries()) {
    if (index % LINES_PER_TURN === LINES_PER_TURN - 1) await setImmediate()
    try {
      const line = JSON.parse(text)
      if (line[1] === REMOVED) stored.delete(line[0])
      else if (line.length === 4) stored.set(line[0], line as Line<T>)
    } catch {}
  }
}
