import { on } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type FileState, isMissing, type ReadSource, readUpTo } from '../../../platform/files/index.ts'
import { failParsing, type ParseResult } from '../../../platform/yaml/index.ts'
import type { NewsText } from '../news.ts'
import { parseNews } from './parse-news.ts'
import { type DataFile, type DataOf, dataFiles, isDataFile } from './schemas.ts'

/** 16 MiB contain 5,000 releases of six files. Parsing one megabyte of YAML takes about 0.1 s, or 0.5 s with an error. */
export const MAX_DATA_BYTES = 16 * 1024 * 1024
/** In the folder of the product; has one file per item. */
export const NEWS_DIR = 'news'
export const MAX_NEWS_BYTES = 256 * 1024
/** Smaller amounts take a few milliseconds, so that no thread is needed. */
const MAX_BYTES_WITHOUT_THREAD = 32 * 1024
const READ_TIMEOUT_MS = 60_000

export type FileValue = DataOf<DataFile> | NewsText
type ReadResults = Map<string, ParseResult<FileValue>>
/** The thread sends the files in batches. */
export type Batch = { readonly files: [string, ParseResult<FileValue>][]; readonly isLast: boolean }

/** Names relative to the folder. */
export async function listContentFiles(dir: string): Promise<string[]> {
  return [...Object.keys(dataFiles), ...(await listNewsFiles(dir))]
}

export async function listNewsFiles(dir: string): Promise<string[]> {
  const names = await readdir(join(dir, NEWS_DIR)).catch((error: NodeJS.ErrnoException) => {
    // Only a folder that does not exist is empty: a disk error must not remove all news.
    if (isMissing(error)) return []
    throw error
  })
  const newsNames = names.filter((name) => name.endsWith('.md') && !name.startsWith('.')).sort()
  return newsNames.map((name) => `${NEWS_DIR}/${name}`)
}

/**
 * Reads and validates files. Large amounts are read by a thread, because parsing 2,000 releases takes half a second, and
 * rendering 5,000 news takes seconds, during which requests must be answered. The thread stays alive, because starting it
 * takes longer than reading most edits.
 */
export function createFileReader({ timeoutMs = READ_TIMEOUT_MS } = {}) {
  let thread: Worker | undefined
  /** The version in which a file took too long, by name. */
  const lateVersions = new Map<string, string>()
  const message = `The file takes more than ${timeoutMs / 1000} seconds, or too much memory, to be read`

  const startThread = () => {
    const started = new Worker(new URL('./read-files-thread.ts', import.meta.url))
    // The pending read notices the exit; the next read starts another thread.
    started.on('error', () => {})
    started.on('exit', () => {
      thread = undefined
    })
    return started
  }

  const read = async (files: ReadonlyMap<string, FileState>, { signal, pathOf }: ReadSource): Promise<ReadResults> => {
    const results: ReadResults = new Map()
    const paths = new Map<string, string>()
    let bytes = 0
    for (const [name, { isFile, size }] of files) {
      if (!isFile) results.set(name, failParsing(name, 1, 'readable', 'It must be a regular file'))
      else paths.set(name, pathOf(name))
      if (isFile && size <= MAX_DATA_BYTES) bytes += size
    }
    if (bytes <= MAX_BYTES_WITHOUT_THREAD) {
      for (const [name, path] of paths) results.set(name, await readContentFile(name, path))
      return results
    }
    const isLate = ([name]: [string, string]) => lateVersions.get(name) === files.get(name)!.version
    const { late = [], others = [] } = Object.groupBy(paths, (file) => (isLate(file) ? 'late' : 'others'))
    // A file that was not read in time is read once more, alone: it may have waited for another one that takes too long.
    for (const turn of [others, ...late.map((file) => [file])]) {
      if (turn.length === 0 || signal.aborted) continue
      thread ??= startThread()
      const timeout = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      if (await readInThread(thread, turn, results, timeout)) continue
      await thread?.terminate()
      for (const [name] of turn) {
        if (results.has(name)) continue
        // The machine may have been suspended meanwhile. Read once more only: edits of other files wait for it.
        const isTemporary = turn === others
        lateVersions.set(name, files.get(name)!.version)
        results.set(name, { ...failParsing(name, 1, 'time', message), isTemporary })
      }
    }
    return results
  }

  return {
    read,
    close: async () => {
      await thread?.terminate()
    },
  }
}

/** False: the thread stopped or took too long. */
async function readInThread(
  thread: Worker,
  files: readonly [name: string, path: string][],
  results: ReadResults,
  signal: AbortSignal,
) {
  thread.ref()
  thread.postMessage(files)
  try {
    for await (const [{ files, isLast }] of on(thread, 'message', { signal, close: ['exit'] })) {
      for (const [name, result] of files as Batch['files']) results.set(name, result)
      if (isLast) return true
    }
    return false
  } catch {
    return false
  } finally {
    thread.unref()
  }
}

/** Reads and validates one file; errors are problems in the result. */
export async function readContentFile(name: string, path: string): Promise<ParseResult<FileValue>> {
  const maxBytes = isDataFile(name) ? MAX_DATA_BYTES : MAX_NEWS_BYTES
  try {
    const bytes = await readUpTo(path, maxBytes)
    if (!bytes) return failParsing(name, 1, 'size', `The file must not be larger than ${maxBytes} bytes`)
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return isDataFile(name) ? dataFiles[name](text) : parseNews(name, text)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return failParsing(name, 1, 'utf-8', 'The file must be UTF-8')
    const problem = failParsing(name, 1, 'readable', `The file cannot be read (${code ?? message})`)
    return { ...problem, isTemporary: code !== undefined }
  }
}
