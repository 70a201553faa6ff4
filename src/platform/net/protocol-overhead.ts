import type { Socket } from 'node:net'

/** So much may be anything but the picture: headers, the marks of chunks, and what was read ahead. */
const BESIDE_BYTES = 1024 * 1024
const LOOK_MS = 20

export interface Waste extends Disposable {
  /** Bytes of the body that have arrived. */
  received: number
  /** The connection was cut for it. */
  readonly isTooMuch: boolean
}

/**
 * Cuts off a source that sends more around its picture than in it: chunks of a byte, their extensions, interim replies, a
 * status line without an end. No other limit counts them, and to read them takes the time of all who wait for a reply.
 */
export function watchWaste(socket: Socket): Waste {
  const before = socket.bytesRead
  let isTooMuch = false
  const looking = setInterval(() => {
    if (socket.bytesRead - before <= 2 * waste.received + BESIDE_BYTES) return
    isTooMuch = true
    socket.destroy()
  }, LOOK_MS)
  const waste: Waste = {
    received: 0,
    get isTooMuch() {
      return isTooMuch
    },
    [Symbol.dispose]: () => clearInterval(looking),
  }
  return waste
}
