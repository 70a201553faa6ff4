import { on } from 'node:events'
import { Worker } from 'node:worker_threads'
import { type Read, refused } from './problem.ts'
import { type FileValue, readFileOf } from './read-file.ts'

// Below this, reading takes a few milliseconds.
const READ_HERE_BYTES = 32 * 1024
const LONGEST_READ_MS = 60_000

export type ReadFiles = Map<string, Read<FileValue>>
/** What the worker sends: some of the files, until all were sent. */
export type Batch = { readonly files: [string, Read<FileValue>][]; readonly isLast: boolean }

export interface Reader {
  read(names: string[], bytes: number): Promise<ReadFiles>
  close(): Promise<void>
}

/**
 * Much to read is read by a worker: 2,000 releases or 5,000 news take seconds of parsing and rendering, and requests
 * go on meanwhile. The worker stays, because its start takes longer than most of what it then does.
 */
export function openReader(dir: string): Reader {
  let worker: Worker | undefined

  const start = () => {
    const started = new Worker(new URL('./worker.ts', import.meta.url), { workerData: dir })
    // Whoever waits for it hears of the error too; the next one to read starts another.
    started.on('error', () => {})
    started.on('exit', () => {
      worker = undefined
    })
    return started
  }

  const read = async (names: string[], bytes: number): Promise<ReadFiles> => {
    const found: ReadFiles = new Map()
    if (bytes <= READ_HERE_BYTES) {
      for (const name of names) found.set(name, await readFileOf(dir, name))
      return found
    }
    worker ??= start()
    const isWhole = await readInWorker(worker, names, found)
    if (!isWhole) {
      await worker?.terminate()
      for (const name of names) if (!found.has(name)) found.set(name, tooSlow(name))
    }
    return found
  }
  return {
    read,
    close: async () => {
      await worker?.terminate()
    },
  }
}

const tooSlow = (name: string) =>
  refused<FileValue>(name, 1, 'time', `The file cannot be read within ${LONGEST_READ_MS / 1000} seconds`)

/** False where the worker died or took too long. */
async function readInWorker(worker: Worker, names: string[], found: ReadFiles): Promise<boolean> {
  const signal = AbortSignal.timeout(LONGEST_READ_MS)
  worker.ref()
  worker.postMessage(names)
  try {
    for await (const [{ files, isLast }] of on(worker, 'message', { signal, close: ['exit'] })) {
      for (const [name, result] of files as Batch['files']) found.set(name, result)
      if (isLast) return true
    }
    return false
  } catch {
    return false
  } finally {
    worker.unref()
  }
}
