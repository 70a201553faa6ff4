// Messages between two processes over a pipe. Node's own channel copies the bytes of a message several times: collecting
// this garbage paused the service.
import type { Readable, Writable } from 'node:stream'

/** The lengths of the JSON and of the bytes, 32 bits each. */
const HEAD_BYTES = 8
/** Images travel as bytes. The longest JSON is a stack trace. */
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
