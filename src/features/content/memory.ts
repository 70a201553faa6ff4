import { appendFile, mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { writeAtomically } from '../../platform/files/index.ts'
import { isSameStamp, type Stamp } from './stamp.ts'
import type { Log } from './types.ts'

/** Raise it when a file would be judged otherwise than before. */
const RULES = 'menagerie content memory 1'
const LINES_A_TURN = 2000
const FLUSH_MS = 1000
const DEAD_LINES_ALLOWED = 1000

/** What was found out about files, kept over restarts: to read 100,000 pictures again takes many times as long. */
export interface Memory<Found> {
  /** What was found when the file had this stamp; given once, so that the memory shrinks as its use ends. */
  take(path: string, stamp: Stamp): Found | undefined
  put(path: string, stamp: Stamp, found: Found): void
  /** What was not taken by now is about files that are gone. */
  forgetRest(): void
  close(): Promise<void>
}

type Line<Found> = [path: string, size: number, mtimeMs: number, found: Found]
const GONE = -1

/**
 * A text file, a JSON line a file; the last line about a path counts. Without `file` nothing is kept. Of several
 * processes on one file only one `writes`.
 */
export async function openMemory<Found>(
  file: string | undefined,
  log: Log,
  { writes = true } = {},
): Promise<Memory<Found>> {
  const known = new Map<string, Line<Found>>()
  let waiting: string[] = []
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()
  let failed = false
  let taken = 0

  const attempt = async (work: () => Promise<void>) => {
    try {
      await work()
      failed = false
    } catch (err) {
      if (!failed)
        log.warn({ err }, 'cannot write down what was found about the content; the next start reads it again')
      failed = true
    }
  }

  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const text = waiting.join('')
    waiting = []
    if (file && text) writing = writing.then(() => attempt(() => appendFile(file, text)))
    return writing
  }

  if (file) {
    const lines = await readLines(file)
    await parse(lines, known)
    if (writes)
      await attempt(async () => {
        await mkdir(dirname(file), { recursive: true })
        if (lines[0] !== RULES || lines.length > 2 * known.size + DEAD_LINES_ALLOWED) {
          await writeAtomically(
            file,
            [RULES, ...[...known.values()].map((line) => JSON.stringify(line)), ''].join('\n'),
          )
        }
      })
  }

  const write = (line: Line<Found | null>) => {
    if (!writes) return
    waiting.push(`${JSON.stringify(line)}\n`)
    timer ??= setTimeout(flush, FLUSH_MS).unref()
  }

  return {
    take(path, stamp) {
      const line = known.get(path)
      if (!line) return undefined
      taken++
      known.delete(path)
      return isSameStamp({ size: line[1], mtimeMs: line[2] }, stamp) ? line[3] : undefined
    },
    put(path, stamp, found) {
      if (file) write([path, stamp.size, stamp.mtimeMs, found])
    },
    forgetRest() {
      // The folder is away, perhaps not mounted yet, and will be back.
      if (taken === 0) return
      if (known.size > DEAD_LINES_ALLOWED) for (const path of known.keys()) write([path, GONE, 0, null])
      known.clear()
    },
    close: flush,
  }
}

async function readLines(file: string): Promise<string[]> {
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n')
  return lines[0] === RULES ? lines : []
}

/** A line that was cut off by a crash is no line; its file is read again. */
async function parse<Found>(lines: string[], known: Map<string, Line<Found>>) {
  for (const [index, text] of lines.entries()) {
    if (index % LINES_A_TURN === LINES_A_TURN - 1) await setImmediate()
    try {
      const line = JSON.parse(text)
      if (line[1] === GONE) known.delete(line[0])
      else if (line.length === 4) known.set(line[0], line as Line<Found>)
    } catch {}
  }
}
