import type { WorkerProcess } from './worker-process.ts'

/** What several workers counted, as one. */
export type Sum = (counts: readonly unknown[]) => unknown

/** What the workers have counted. It outlives them: a total that falls when one is replaced reads as a new start. */
export function createLedger(sum: Sum) {
  const known = new Map<WorkerProcess, unknown>()
  /** The sum of those that ended; none before the first has. */
  let departed: readonly unknown[] = []

  return {
    /** The last word of a worker. */
    note(worker: WorkerProcess, counts: unknown): void {
      if (counts !== undefined && !worker.hasEnded()) known.set(worker, counts)
    },
    /** Of one that crashed that is what was known last. */
    close(worker: WorkerProcess): void {
      if (known.has(worker)) departed = [sum([...departed, known.get(worker)])]
      known.delete(worker)
    },
    /** Each worker is in it once, whether it runs or has ended. */
    all: () => [...known.values(), ...departed],
  }
}
