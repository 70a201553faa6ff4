import type { Stats } from 'node:fs'
import { type FileHandle, readdir, stat } from 'node:fs/promises'
import { LRUCache } from 'lru-cache'
import { openRegular, parseJson, resolveInside } from '../../platform/files/index.ts'

/** Keeps a reply small and fast, however long the lines are. */
const MAX_TAIL_BYTES = 1024 * 1024
const COUNT_CHUNK_BYTES = 1024 * 1024
const MAX_CACHED_COUNTS = 64
const NEWLINE = 10

export type LogFiles = ReturnType<typeof createLogFiles>

/** The public log files. */
export function createLogFiles(dir: string) {
  const lineCounts = new LRUCache<string, Promise<LineCount>>({ max: MAX_CACHED_COUNTS })

  /** Accepts only log files directly in the folder. */
  const resolveLog = async (fileName: string) =>
    fileName.includes('/') || !fileName.endsWith('.log') ? undefined : resolveInside(dir, fileName)

  const readEntry = async (fileName: string) => {
    const path = await resolveLog(fileName)
    const stats = path ? await stat(path).catch(() => undefined) : undefined
    return stats?.isFile() ? toEntry(fileName, stats) : undefined
  }

  /** Counts the lines of a growing file. Only the added part is read again. */
  const countLines = async (path: string, handle: FileHandle, stats: Stats): Promise<number> => {
    // Concurrent calls wait for each other, so that a large file is read once.
    const previous = lineCounts.get(path)?.catch(() => undefined)
    const next = Promise.resolve(previous).then((count) => continueCount(handle, stats, count))
    lineCounts.set(path, next)
    return (await next).lines
  }

  return {
    /** Newest first. */
    async list() {
      const names = await readdir(dir).catch(() => [])
      const entries = await Promise.all(names.sort().reverse().map(readEntry))
      return entries.filter((entry) => entry !== undefined)
    },

    /**
     * The newest lines, in the order of the file. Undefined: there is no such log file. `decode` takes long for many lines.
     */
    async read(fileName: string, maxLines: number) {
      const path = await resolveLog(fileName)
      if (!path) return undefined
      try {
        await using handle = await openRegular(path)
        const stats = await handle.stat()
        const [tail, total] = await Promise.all([readTail(handle, stats.size), countLines(path, handle, stats)])
        const decode = () => {
          const texts = splitTail(tail, maxLines)
          return { truncated: texts.length < total, lines: texts.map(parseLine) }
        }
        return { ...toEntry(fileName, stats), total, decode }
      } catch {
        return undefined // The file was removed or rotated meanwhile, or it is no regular file.
      }
    },
  }
}

const toEntry = (fileName: string, { size, mtime }: Stats) => ({ fileName, size, modifiedAt: mtime.toISOString() })

/** A line that is not a JSON object is returned as text. */
function parseLine(text: string): unknown {
  const value = parseJson(text)
  return value instanceof Object && !Array.isArray(value) ? value : { text }
}

type Tail = { readonly bytes: Buffer; readonly start: number }

/** Reads the end of a file. */
async function readTail(handle: FileHandle, size: number): Promise<Tail> {
  const start = Math.max(0, size - MAX_TAIL_BYTES)
  const bytes = Buffer.alloc(size - start)
  const { bytesRead } = await handle.read(bytes, 0, bytes.length, start)
  // Otherwise the file was truncated meanwhile.
  return { bytes: bytesRead < bytes.length ? Buffer.alloc(0) : bytes, start }
}

/** The last complete lines. */
function splitTail({ bytes, start }: Tail, maxLines: number): string[] {
  const lines = bytes.toString('utf8').split('\n')
  const isFirstIncomplete = start > 0
  if (isFirstIncomplete) lines.shift()
  // The text after the last newline is a line that is still being written.
  lines.pop()
  return lines.slice(-maxLines)
}

type LineCount = { readonly inode: number; readonly size: number; readonly lines: number }

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
