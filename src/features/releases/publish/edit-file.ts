// Edits the operator's files: one publisher at a time, comments and order are preserved.
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Document } from 'yaml'
import { acceptEntries, lockFile, writeAtomically } from '../../../platform/files/index.ts'
import { parseYaml } from '../../../platform/yaml/index.ts'
import { MAX_DATA_BYTES } from '../read/read-files.ts'
import { countEntries, type DataFile, type DataOf, dataFiles } from '../read/schemas.ts'
import { assertRule, PublishError } from './publish-error.ts'

const DIFF_CONTEXT_LINES = 2
const LOCK_FILE = '.publishing'
const LOCK_TIMEOUT_MS = 10_000
const LOCK_RETRY_INTERVAL_MS = 25

export interface Change {
  /** Relative to the folder. */
  readonly file: string
  /** Removed lines start with "-", added lines with "+". */
  readonly diff: string
}

export async function readData<Name extends DataFile>(dir: string, name: Name): Promise<DataOf<Name>> {
  return parseData(name, await readText(dir, name))
}

interface EditOptions {
  readonly dryRun?: boolean | undefined
  /** Called when the edit is valid. */
  readonly beforeWrite?: () => Promise<void>
}

export const editData = <Name extends DataFile>(
  dir: string,
  name: Name,
  edit: (document: Document, data: DataOf<Name>) => void,
  { dryRun, beforeWrite }: EditOptions,
): Promise<Change> =>
  withLock(dir, dryRun, async () => {
    const before = await readText(dir, name)
    const document = parseYaml(before)
    const data = parseData(name, before)
    edit(document, data)
    const after = document.toString({ lineWidth: 0 })
    // A file that the service would refuse is never written.
    const { value, problems } = dataFiles[name](after)
    if (problems[0]) throw new PublishError(`${problems[0].message}.`)
    const sizeRule = `must not be larger than ${MAX_DATA_BYTES} bytes; remove old entries`
    assertRule(Buffer.byteLength(after) <= MAX_DATA_BYTES, name, sizeRule)
    if (!dryRun) {
      await beforeWrite?.()
      const entries = countEntries(value ?? {})
      if (entries < countEntries(data)) await acceptEntries(dir, { [name]: entries })
      await writeAtomically(join(dir, name), after)
    }
    return { file: name, diff: diffLines(before, after) }
  })

async function readText(dir: string, name: string): Promise<string> {
  try {
    return await readFile(join(dir, name), 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return ''
    throw new PublishError(`${name} cannot be read (${code}).`)
  }
}

function parseData<Name extends DataFile>(name: Name, text: string): DataOf<Name> {
  const { value, problems } = dataFiles[name](text)
  const [problem] = problems
  if (problem) throw new PublishError(`Fix ${name} first, line ${problem.line}: ${problem.message}.`)
  return value as DataOf<Name>
}

/** One block from the first to the last changed line, with context. */
export function diffLines(before: string, after: string): string {
  const oldLines = before.split('\n')
  const newLines = after.split('\n')
  const shorter = Math.min(oldLines.length, newLines.length)
  let head = 0
  while (head < shorter && oldLines[head] === newLines[head]) head++
  let tail = 0
  while (tail < shorter - head && oldLines.at(-1 - tail) === newLines.at(-1 - tail)) tail++
  const withPrefix = (prefix: string, lines: string[]) => lines.map((line) => `${prefix}${line}`)
  const oldEnd = oldLines.length - tail
  return [
    ...withPrefix(' ', oldLines.slice(Math.max(0, head - DIFF_CONTEXT_LINES), head)),
    ...withPrefix('-', oldLines.slice(head, oldEnd)),
    ...withPrefix('+', newLines.slice(head, newLines.length - tail)),
    ...withPrefix(' ', oldLines.slice(oldEnd, oldEnd + DIFF_CONTEXT_LINES)),
  ]
    .join('\n')
    .trimEnd()
}

/**
 * Runs one publisher at a time: two that read, edit and write the same file would overwrite each other. A dry run
 * writes nothing, so it needs no lock.
 */
export async function withLock<T>(
  dir: string,
  dryRun: boolean | undefined,
  work: () => Promise<T>,
  timeoutMs = LOCK_TIMEOUT_MS,
): Promise<T> {
  if (dryRun) return work()
  try {
    await mkdir(dir, { recursive: true })
    const lock = await acquireLock(join(dir, LOCK_FILE), timeoutMs)
    try {
      return await work()
    } finally {
      lock.close()
    }
  } catch (error) {
    // System errors, such as a full disk, become a message for the operator.
    const { code, message } = error as NodeJS.ErrnoException
    throw error instanceof PublishError || !code ? error : new PublishError(`Nothing was changed: ${message}.`)
  }
}

async function acquireLock(file: string, timeoutMs: number) {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    // Some network file systems have no locks: there, publishers must not run at the same time.
    const lock = await lockFile(file).catch(() => ({ close() {} }))
    if (lock) return lock
    if (performance.now() > deadline) throw new PublishError('Another process is publishing. Wait for it.')
    await sleep(LOCK_RETRY_INTERVAL_MS * (0.5 + Math.random()))
  }
}
