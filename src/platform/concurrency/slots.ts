/** Thrown when more renderings wait than may; to be answered with 503. */
export class StudioBusy extends Error {
  readonly retryAfter = 1

  constructor(waiting: number) {
    super(`The artist has ${waiting} pictures waiting already; try again in a moment.`)
    this.name = 'StudioBusy'
  }
}

export type Slots = <T>(work: () => Promise<T>) => Promise<T>

/** At most `concurrency` works at a time and `waiting` behind them, first come first served. */
export function createSlots(concurrency: number, waiting: number): Slots {
  const queue: (() => void)[] = []
  let free = concurrency

  return async (work) => {
    if (free > 0) free--
    else {
      if (queue.length >= waiting) throw new StudioBusy(queue.length)
      await new Promise<void>((resolve) => queue.push(resolve))
    }
    try {
      return await work()
    } finally {
      // A slot goes straight to the next in line, so that nobody can slip in between.
      const next = queue.shift()
      if (next) next()
      else free++
    }
  }
}
