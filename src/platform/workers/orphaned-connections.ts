import type { Worker } from 'node:cluster'

interface Handle {
  close(): void
}

/**
 * Closes the connection that was on its way to a worker when it died. node:cluster deals a worker one at a time and waits
 * for it to be taken; one that a dead worker never took would stay open in the primary, and its caller would wait for ever.
 */
export function closeUntaken(child: Worker): void {
  const channel = child.process
  const send = channel.send.bind(channel) as (...given: unknown[]) => boolean
  let dealt: Handle | undefined
  channel.send = (message: unknown, handle?: unknown, ...rest: unknown[]) => {
    if (isHandle(handle)) dealt = handle
    return send(message, handle, ...rest)
  }
  child.once('exit', (code) => {
    // One that left in good order took it or handed it back, to be dealt to another. One that was taken is closed here
    // already, and closing it again does nothing.
    if (code !== 0) dealt?.close()
  })
}

const isHandle = (value: unknown): value is Handle => typeof value === 'object' && value !== null && 'close' in value
