import type { LineSink } from '../logging/index.ts'

// As in the log file itself: a line at a time would cost more than the rest of a request.
const SEND_AT = 32 * 1024
const SEND_EVERY_MS = 200
// Where the primary is slow, lines wait in memory; beyond this they are dropped and counted, the service goes on.
const MAX_WAITING = 8 * 1024 * 1024

export interface LineSender extends LineSink {
  /** What the primary says of the file. */
  note(problem: string | undefined): void
}

/** Log lines of a worker on their way to the primary: one process writes the files, so one turns and prunes them. */
export function createLineSender(send: (lines: string, sent: () => void) => void): LineSender {
  let gathered = ''
  let underWay = 0
  let dropped = 0
  let problem: string | undefined
  let idle = Promise.withResolvers<void>()

  const flush = () => {
    if (gathered === '') return
    const lines = gathered
    gathered = ''
    underWay += lines.length
    send(lines, () => {
      underWay -= lines.length
      if (underWay > 0) return
      idle.resolve()
      idle = Promise.withResolvers()
    })
  }
  const regularly = setInterval(flush, SEND_EVERY_MS).unref()

  return {
    write(line) {
      if (underWay > MAX_WAITING) {
        dropped++
        return
      }
      gathered += line
      if (gathered.length >= SEND_AT) flush()
    },
    problem: () => problem ?? (dropped > 0 ? `${dropped} log lines were dropped` : undefined),
    note: (told) => {
      problem = told
    },
    flush,
    async close() {
      clearInterval(regularly)
      flush()
      if (underWay > 0) await idle.promise
    },
  }
}
