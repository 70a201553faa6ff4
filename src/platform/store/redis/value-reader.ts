import { connect } from 'node:net'

/** Where a server is, and what is said to it first (AUTH, SELECT). */
export interface ReaderOptions {
  readonly host: string
  readonly port: number
  readonly greeting: readonly (readonly string[])[]
  /** Told once, whatever ended it. */
  readonly onEnd: () => void
}

export interface ValueReader {
  /** Connected, and let in. */
  readonly isReady: boolean
  /** So many bytes of a value at most. Rejects where Redis says anything else, and where the connection ends. */
  read(key: string, most: number): Promise<Buffer | null>
  destroy(): void
}

interface Waiting {
  readonly most: number
  resolve(value: Buffer | null): void
  reject(error: Error): void
}

const CONNECT_MS = 2000
/** Longer than anybody waits for an answer; after that an idle connection may have been forgotten on its way. */
const SILENCE_MS = 30_000
const BUFFER_BYTES = 16 * 1024
const LONGEST_LINE = 1024
const ENDED = 'the connection ended'
const LINE_END = Buffer.from('\r\n')

/**
 * A connection that does nothing but read values, straight into the memory where they stay: a picture arrives in many
 * pieces, and to gather them first costs twice its memory, which is what the collector of garbage then runs for.
 */
export function openValueReader({ host, port, greeting, onEnd }: ReaderOptions): ValueReader {
  const common = Buffer.allocUnsafeSlow(BUFFER_BYTES)
  const waiting: Waiting[] = []
  let isReady = false
  let line = ''
  /** The value that is arriving, with the end of line after it. */
  let value: Buffer | undefined
  let filled = 0

  const socket = connect({
    host,
    port,
    noDelay: true,
    keepAlive: true,
    timeout: CONNECT_MS,
    onread: {
      buffer: () => value?.subarray(filled) ?? common,
      callback: (count, bytes) => {
        // Read into its place already, and never beyond its end.
        if (value) fill(count)
        else take(bytes, count)
        return true
      },
    },
  })

  function take(bytes: Uint8Array, count: number): void {
    // What follows something that is no answer means nothing.
    for (let at = 0; at < count && !socket.destroyed; ) {
      at = value ? copy(bytes, at, count) : readLine(bytes, at, count)
    }
  }

  function copy(bytes: Uint8Array, at: number, end: number): number {
    const count = Math.min(end - at, value!.length - filled)
    value!.set(bytes.subarray(at, at + count), filled)
    fill(count)
    return at + count
  }

  function fill(count: number): void {
    filled += count
    if (!value || filled < value.length) return
    const end = value.length - LINE_END.length
    const whole = value
    value = undefined
    if (whole.subarray(end).equals(LINE_END)) waiting.shift()?.resolve(whole.subarray(0, end))
    else socket.destroy()
  }

  function readLine(bytes: Uint8Array, at: number, end: number): number {
    const found = bytes.subarray(0, end).indexOf(LINE_END[1]!, at)
    const until = found < 0 ? end : found + 1
    line += Buffer.from(bytes.buffer, bytes.byteOffset + at, until - at).toString('latin1')
    if (found >= 0) {
      const whole = line.slice(0, -LINE_END.length)
      line = ''
      answer(whole)
    } else if (line.length > LONGEST_LINE) socket.destroy()
    return until
  }

  function answer(said: string): void {
    const length = /^\$(\d{1,10})$/.exec(said)?.[1]
    const { most = -1 } = waiting[0] ?? {}
    if (length !== undefined && Number(length) <= most) {
      value = Buffer.allocUnsafeSlow(Number(length) + LINE_END.length)
      filled = 0
    } else if (said === '$-1' || said === '+OK') waiting.shift()?.resolve(null)
    else if (said.startsWith('-')) waiting.shift()?.reject(new Error(said.slice(1)))
    else socket.destroy()
  }

  const ask = (most: number, ...words: readonly string[]) =>
    new Promise<Buffer | null>((resolve, reject) => {
      if (socket.destroyed) return reject(new Error(ENDED))
      waiting.push({ most, resolve, reject })
      socket.write(`*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`)
    })

  socket.on('connect', () => {
    socket.setTimeout(SILENCE_MS)
    Promise.all(greeting.map((words) => ask(0, ...words))).then(
      () => {
        isReady = true
      },
      () => socket.destroy(),
    )
  })
  socket.on('timeout', () => socket.destroy())
  // What went wrong is told by the ordinary connection, which goes the same way.
  socket.on('error', () => {})
  socket.on('close', () => {
    isReady = false
    for (const { reject } of waiting.splice(0)) reject(new Error(ENDED))
    onEnd()
  })

  return {
    get isReady() {
      return isReady && !socket.destroyed
    },
    read: (key, most) => ask(most, 'GETRANGE', key, '0', String(most - 1)),
    destroy: () => void socket.destroy(),
  }
}
