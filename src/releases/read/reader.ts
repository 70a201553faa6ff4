import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { type Read, refused } from './problem.ts'
import { type FileValue, readFileOf } from './read-file.ts'

// Below this, reading takes a few milliseconds; a worker takes about a hundred to start.
const READ_HERE_BYTES = 32 * 1024
const LONGEST_READ_MS = 60_000

export type ReadFiles = Map<string, Read<FileValue>>

/**
 * Much to read is read by a worker: 2,000 releases or 5,000 news take seconds of parsing and rendering, and requests
 * go on meanwhile.
 */
export async function readFiles(dir: string, names: string[], bytes: number): Promise<ReadFiles> {
  if (bytes > READ_HERE_BYTES) return readInWorker(dir, names)
  const read: ReadFiles = new Map()
  for (const name of names) read.set(name, await readFileOf(dir, name))
  return read
}

async function readInWorker(dir: string, names: string[]): Promise<ReadFiles> {
  const read: ReadFiles = new Map()
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: { dir, names } })
  worker.on('message', (batch: [string, Read<FileValue>][]) => {
    for (const [name, result] of batch) read.set(name, result)
  })
  const slow = setTimeout(() => worker.terminate(), LONGEST_READ_MS)
  try {
    await once(worker, 'exit')
  } finally {
    clearTimeout(slow)
  }
  for (const name of names) {
    if (!read.has(name)) read.set(name, refused(name, 1, 'time', `Reading took more than ${LONGEST_READ_MS} ms`))
  }
  return read
}
