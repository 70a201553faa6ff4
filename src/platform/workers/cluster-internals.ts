// The only file of this module that relies on undocumented behaviour of Node. Each function can be left out: the
// service still works, with the drawback that its comment names.
import type { Worker } from 'node:cluster'

type Handle = { close(): void }

/**
 * Closes the connection that was on its way to a worker when the worker died. node:cluster passes one connection at a time
 * and waits until the worker accepts it. Without this the primary keeps that connection open, and its client waits until
 * its own timeout.
 */
export function closeOrphanedConnection(child: Worker): void {
  const channel = child.process
  const send = channel.send.bind(channel) as (...args: unknown[]) => boolean
  let lastHandle: Handle | undefined
  channel.send = (message: unknown, handle?: unknown, ...rest: unknown[]) => {
    if (isHandle(handle)) lastHandle = handle
    return send(message, handle, ...rest)
  }
  child.once('exit', (code) => {
    // A worker that exits normally has accepted the connection or handed it back. Closing an accepted one does nothing:
    // the primary has closed its copy already.
    if (code !== 0) lastHandle?.close()
  })
}

const isHandle = (value: unknown): value is Handle => typeof value === 'object' && value !== null && 'close' in value

/**
 * node:cluster ends a worker as soon as its channel to the primary closes. Without this, requests in progress are cut and
 * download counts are lost when the primary dies.
 */
export function surviveDisconnect(worker: Worker): void {
  worker.exitedAfterDisconnect = true
}
