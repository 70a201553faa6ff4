import { setImmediate } from 'node:timers/promises'

/**
 * Lets the event loop turn a few times: this process then has read everything that had arrived on its sockets, however
 * busy the machine is.
 */
export async function passTurns(count = 5): Promise<void> {
  for (let turn = 0; turn < count; turn++) await setImmediate()
}

/** Blocks the event loop of this process, without using the processor. */
export const blockThread = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

/** Blocks the event loop of this process, and computes so long: time in which others use the processor does not count. */
export function keepThreadBusy(ms: number): void {
  const measureUs = () => process.threadCpuUsage().user + process.threadCpuUsage().system
  for (const end = measureUs() + 1000 * ms; measureUs() < end; );
}
