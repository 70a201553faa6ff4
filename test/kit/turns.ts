import { setImmediate } from 'node:timers/promises'

/**
 * Lets the event loop turn a few times: this process then has read everything that had arrived on its sockets, however
 * busy the machine is.
 */
export async function passTurns(count = 5): Promise<void> {
  for (let turn = 0; turn < count; turn++) await setImmediate()
}
