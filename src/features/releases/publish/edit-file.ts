// Edits the operator's files: one publisher at a time, comments and order are preserved.
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Document } from 'yaml'
import { acceptEntries, lockFile, writeAtomically } from '../../../platform/files/index.ts'
import { type ParseResult, parseYaml } from '../../../platform/yaml/index.ts'
import { parseNews } from '../read/parse-news.ts'
import { listNewsFiles, MAX_DATA_BYTES, MAX_NEWS_BYTES, NEWS_DIR } from '../read/read-files.ts'
import { countEntries, type DataFile, type DataOf, dataFiles, isDataFile } from '../read/schemas.ts'
import { assertRule, PublishError } from './publish-error.ts'

const DIFF_CONTEXT_LINES = 2
const LOCK_FILE = '.publishing'
const LOCK_TIMEOUT_MS = 10_000
const LOCK_RETRY_INTERVAL_MS = 25

/** A file before and after a change. Null: it does not exist. Names are relative to the folder. */
export interface FileEdit {
  readonly file: string
  readonly before: string | null
  readonly after: string | null
}

export interface EditOptions {
  /** Checks everything and changes nothing. */
  readonly dryRun?: boolean | undefined
  /** Called when all edits are valid, before the first one is written. If it rejects, nothing is changed. */
  readonly onEdit?: ((edits: readonly FileEdit[]) => Promise<void>) | undefined
}

export interface Change {
  /** Relative to the folder. With several files, the last one. */
  readonly file: string
  /** Removed lines start with "-", added lines with "+". Empty: nothing changed. */
  readonly diff: string
}

export async function readData<Name extends DataFile>(dir: string, name: Name): Promise<DataOf<Name>> {
  const parsed = dataFiles[name]((await readText(dir, name)) ?? '')
  return assertParsed(name, parsed as ParseResult<DataOf<Name>>)
}

interface EditedFiles {
  /** Null: it does not exist. */
  read(file: string): Promise<string | null>
  /** Null removes the file. Files are written in the order of these calls. */
  write(file: string, text: string | null): Promise<void>
  /** Called right before the files are written. */
  beforeWrite(step: () => Promise<void>): void
  readonly parse: ReturnType<typeof createParser>
}

/**
 * Edits files under the lock of the folder: all edits are collected, validated and then written. A file that the service
 * would refuse is never written.
 */
export const editFiles = <T extends object>(
  dir: string,
  { dryRun, onEdit }: EditOptions,
  work: (files: EditedFiles) => Promise<T>,
): Promise<Change & T> =>
  withLock(dir, dryRun, async () => {
    const parse = createParser()
    const collected = new Map<string, FileEdit>()
    const steps: (() => Promise<void>)[] = []
    const result = await work({
      read: async (file) => (collected.has(file) ? collected.get(file)!.after : readText(dir, file)),
      async write(file, after) {
        const before = collected.get(file)?.before ?? (await readText(dir, file))
        collected.set(file, { file, before, after })
      },
      beforeWrite: (step) => steps.push(step),
      parse,
    })
    const edits = [...collected.values()].filter(({ before, after }) => before !== after)
    for (const { file, after } of edits) if (after !== null) assertValid(file, after, parse)
    await onEdit?.(edits)
    if (!dryRun) {
      for (const step of steps) await step()
      await acceptShrinking(dir, edits, parse)
      for (const { file, after } of edits) {
        if (after === null) await rm(join(dir, file))
        else await writeAtomically(join(dir, file), after)
      }
    }
    const diff = edits.map(({ before, after }) => diffLines(before ?? '', after ?? '')).join('\n')
    return { file: [...collected.keys()].at(-1) ?? '', diff, ...result }
  })

/** Parses each text once: a megabyte of YAML takes most of a second. */
function createParser() {
  const parsed = new Map<string, ParseResult<DataOf<DataFile>>>()
  return <Name extends DataFile>(file: Name, text: string): ParseResult<DataOf<Name>> => {
    const key = `${file}\n${text}`
    if (!parsed.has(key)) parsed.set(key, dataFiles[file](text))
    return parsed.get(key) as ParseResult<DataOf<Name>>
  }
}

function assertValid(file: string, text: string, parse: EditedFiles['parse']): void {
  const isData = isDataFile(file)
  const { problems } = isData ? parse(file, text) : parseNews(file, text)
  if (problems[0]) throw new PublishError(`${problems[0].message}.`)
  const maxBytes = isData ? MAX_DATA_BYTES : MAX_NEWS_BYTES
  const sizeRule = `must not be larger than ${maxBytes} bytes; ${isData ? 'remove old entries' : 'shorten it'}`
  assertRule(Buffer.byteLength(text) <= maxBytes, file, sizeRule)
}

/** The operator removes entries on purpose: the service must not take it for a fault. */
async function acceptShrinking(dir: string, edits: readonly FileEdit[], parse: EditedFiles['parse']): Promise<void> {
  const accepted: Record<string, number> = {}
  let addedNews = 0
  for (const { file, before, after } of edits) {
    if (isDataFile(file)) {
      const count = (text: string | null) => countEntries(parse(file, text ?? '').value ?? {})
      if (count(after) < count(before)) accepted[file] = count(after)
    } else {
      addedNews += Number(before === null) - Number(after === null)
    }
  }
  if (addedNews < 0) accepted[NEWS_DIR] = (await listNewsFiles(dir)).length + addedNews
  if (Object.keys(accepted).length > 0) await acceptEntries(dir, accepted)
}

interface DataEditOptions extends EditOptions {
  /** Called when the edit is valid. */
  readonly beforeWrite?: () => Promise<void>
}

export const editData = <Name extends DataFile>(
  dir: string,
  name: Name,
  edit: (document: Document, data: DataOf<Name>) => void,
  { beforeWrite, ...options }: DataEditOptions,
): Promise<Change> =>
  editFiles(dir, options, async ({ read, write, parse, ...files }) => {
    const before = await read(name)
    const document = parseYaml(before ?? '')
    const data = assertParsed(name, parse(name, before ?? ''))
    edit(document, data)
    if (beforeWrite) files.beforeWrite(beforeWrite)
    const after = document.toString({ lineWidth: 0 })
    // An edit without effect leaves the file as it is, even if its text would be formatted in another way.
    const isChanged = !isDeepStrictEqual(parse(name, after).value, data)
    await write(name, isChanged ? after : before)
    return {}
  })

async function readText(dir: string, name: string): Promise<string | null> {
  try {
    return await readFile(join(dir, name), 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    throw new PublishError(`${name} cannot be read (${code}).`)
  }
}

function assertParsed<Name extends DataFile>(name: Name, { value, problems }: ParseResult<DataOf<Name>>): DataOf<Name> {
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
    const { syscall, message } = error as NodeJS.ErrnoException
    throw syscall === undefined ? error : new PublishError(`Nothing was changed: ${message}.`)
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
