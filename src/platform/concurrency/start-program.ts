import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { TaskAnswer } from './serve-tasks.ts'

export interface ProgramOptions {
  /** Calls `serveTasks`. */
  readonly program: URL
  /** Given to the program as its first argument, in JSON. */
  readonly programOptions: unknown
  /**
   * Files and folders that the program reads. Node's permission model forbids all others to its JavaScript, as well as
   * writing, starting processes and, from Node 25 on, the network. It does not restrict native code.
   */
  readonly readablePaths: readonly string[]
}

interface ProgramHandlers {
  /** Bytes that an answer may have now. */
  countMaxBytes(child: ChildProcess): number
  handleAnswer(child: ChildProcess, answer: TaskAnswer, bytes: Buffer | undefined): void
  /** It could not be started, or it sent an invalid answer. */
  handleError(child: ChildProcess, error: Error): void
  handleExit(child: ChildProcess, code: number | null, signal: string | null): void
}

/**
 * Nothing of the service's environment, and so no secret. The first two values keep the memory of native code small. The
 * last one asks Linux for large pages of 2 MB: a new buffer for the pixels of a large photo has 9000 small pages.
 */
const environment = { UV_THREADPOOL_SIZE: '1', MALLOC_ARENA_MAX: '1', GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1' }

/** Starts a process that may do little more than compute. Messages go through its standard input and output. */
export function startProgram(options: ProgramOptions, handlers: ProgramHandlers): ChildProcess {
  const { program, programOptions, readablePaths } = options
  const nodeOptions = ['--no-warnings', '--permission', '--allow-addons']
  const readable = readablePaths.map((path) => `--allow-fs-read=${path}`)
  const args = [...nodeOptions, ...readable, fileURLToPath(program), JSON.stringify(programOptions)]
  const child = spawn(process.execPath, args, { env: environment, stdio: ['pipe', 'pipe', 'inherit'] })
  preferAsVictim(child)
  const { countMaxBytes, handleAnswer, handleError, handleExit } = handlers
  const { stdin, stdout } = child
  // Its exit reports that it has ended.
  stdin?.on('error', () => {})
  stdout?.on('error', (error) => handleError(child, error))
  const receive = (answer: TaskAnswer, bytes: Buffer | undefined) => handleAnswer(child, answer, bytes)
  if (stdout) readMessages(stdout, () => countMaxBytes(child), receive)
  child.on('error', (error) => handleError(child, error))
  // Not at its exit: its last answer may arrive after that.
  child.on('close', (code, signal) => handleExit(child, code, signal))
  return child
}

/** If memory runs out, Linux ends this process, which has one image, rather than the service. */
function preferAsVictim({ pid }: ChildProcess): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000')
  } catch {
    // Other systems have no such file, and the process may have ended.
  }
}

/** In which Linux counts CPU time. */
const TICK_MS = 10

/** CPU time so far in milliseconds. NaN if it is unknown: only Linux reports it. */
export function readCpuMs({ pid }: ChildProcess): number {
  try {
    const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? ''
    const [user, system] = afterName.split(' ').slice(11).map(Number)
    return (user! + system!) * TICK_MS
  } catch {
    return Number.NaN
  }
}

// Messages between two processes over a pipe. Node's own channel copies the bytes of a message several times: collecting
// this garbage paused the service.

/** The lengths of the JSON and of the bytes, 32 bits each. */
const HEAD_BYTES = 8
/** Images are sent as bytes. The longest JSON is a stack trace. */
const MAX_JSON_BYTES = 65_536

const noBytes = new Uint8Array()

/** Sends plain data as JSON, and bytes as they are. */
export function sendMessage(stream: Writable, data: unknown, bytes: Uint8Array = noBytes, onSent?: () => void): void {
  const json = Buffer.from(JSON.stringify(data))
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32LE(json.length)
  head.writeUInt32LE(bytes.length, 4)
  stream.cork()
  stream.write(Buffer.concat([head, json]))
  stream.write(bytes, onSent)
  stream.uncork()
}

/**
 * Calls `handle` with the data and the bytes of each message; without bytes, they are undefined. Destroys the stream with
 * an error at a message that `handle` cannot read, or that announces more bytes than `countMaxBytes` returns: the other
 * process may be under the control of an attacker.
 */
export function readMessages<Data>(
  stream: Readable,
  countMaxBytes: () => number,
  handle: (data: Data, bytes: Buffer | undefined) => void,
): void {
  /** Gives a buffer for each part of a message, and continues when it is full. */
  function* readParts(): Generator<Buffer, never, void> {
    for (;;) {
      const head = Buffer.alloc(HEAD_BYTES)
      yield head
      const [jsonLength, length] = [head.readUInt32LE(), head.readUInt32LE(4)]
      if (jsonLength > MAX_JSON_BYTES || length > countMaxBytes()) throw new Error('The message is too long.')
      const json = Buffer.alloc(jsonLength)
      yield json
      // Not from Node's pool, because caches count the bytes that they hold.
      const bytes = Buffer.allocUnsafeSlow(length)
      yield bytes
      handle(JSON.parse(json.toString()) as Data, bytes.length > 0 ? bytes : undefined)
    }
  }
  const parts = readParts()
  let part = parts.next().value
  let filled = 0
  function fill(chunk: Buffer) {
    for (let read = 0; read < chunk.length; ) {
      const copied = chunk.copy(part, filled, read)
      read += copied
      filled += copied
      while (filled === part.length) {
        part = parts.next().value
        filled = 0
      }
    }
  }
  stream.on('data', (chunk: Buffer) => {
    try {
      fill(chunk)
    } catch (error) {
      stream.destroy(error as Error)
    }
  })
}

// Flags of V8 that are not part of its API. Without them, memory is released later and collections pause more often.

type Collect = (options: { type: 'major'; flavor: 'last-resort' }) => void

/** Collects all garbage now: V8 would do it at its next allocations, which may be hours later. Pauses for 20 to 50 ms. */
export function createCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('globalThis.gc') as Collect | undefined
  return () => collect?.({ type: 'major', flavor: 'last-resort' })
}

/** Later versions do it by default. */
const LAST_V8_TO_SET = 14

/**
 * Makes V8 count buffers as part of its heap. Otherwise it marks all of the heap whenever 64 MB of buffers were
 * allocated, although most are garbage that a short collection finds (nodejs/node#61967): under a load of filters twice
 * per second, for 10 ms each time.
 */
export function countBuffersAsHeap(): void {
  if (Number.parseInt(process.versions.v8, 10) > LAST_V8_TO_SET) return
  setFlagsFromString('--external-memory-accounted-in-global-limit')
}
