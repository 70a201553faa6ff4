// The primary: keeps so many workers running, replaces them, and does none of the service's own work.
import cluster from 'node:cluster'
import type { LineSink, Log } from '../logging/index.ts'
import { watchPulse } from './heartbeat.ts'
import type { Sum } from './ledger.ts'
import type { ShutdownOptions } from './messages.ts'
import { createSwitchboard } from './switchboard.ts'
import { startWorker, type WorkerProcess } from './worker-process.ts'
import { createPlace, type Place } from './worker-slot.ts'

export interface SupervisorOptions {
  /** What a worker runs: a file, and the words after it. */
  readonly program: { readonly file: string; readonly words: readonly string[] }
  readonly workers: number
  readonly host: string
  readonly port: number
  readonly log: Log
  /** The workers' log lines. */
  readonly lines: LineSink
  /** Shows something to the person who started the service. */
  tell(text: string): void
  /** How the counts of several workers become one; those of workers that ended are kept as that. */
  readonly sum: Sum
  readonly readyWithinMs?: number
  readonly stopWithinMs?: number
  /** In a roll, a connection that is used within this time moves to another worker without noticing. */
  readonly lingerMs?: number
  /** How often each worker is asked for a sign of life. */
  readonly pulseMs?: number
}

export interface Supervisor {
  /** Resolves to the URL when all workers serve; rejects with `GivenUp`. */
  readonly opened: Promise<string>
  /** Rejects with `GivenUp` when no worker can be kept running. */
  readonly lost: Promise<never>
  /** Replaces one worker after the other; tells why where a new one did not come up, and the others stay. */
  roll(): Promise<string | undefined>
  stop(graceMs: number): Promise<void>
}

/** No worker comes up; the message is for the operator. */
export class GivenUp extends Error {}

/** Reading 100,000 pictures anew is cut off at ten seconds; the rest is for a slow disk. */
const READY_WITHIN_MS = 120_000
/** A worker lets requests finish for ten seconds at most; the rest is for handing in counts and closing. */
const STOP_WITHIN_MS = 20_000
const LINGER_MS = 5000
const MAX_DEATHS_AT_START = 3

export function supervise(options: SupervisorOptions): Supervisor {
  const { program, workers, host, port, log } = options
  const { readyWithinMs = READY_WITHIN_MS, stopWithinMs = STOP_WITHIN_MS, lingerMs = LINGER_MS } = options
  // Round robin, not the kernel's choice: on Linux a shared listening socket wakes the same few workers again and again,
  // and a kept-alive connection stays where it landed. A worker that is closing hands a connection back to be dealt anew.
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({ exec: program.file, args: [...program.words] })

  const startedAt = Date.now()
  const everyone = new Set<WorkerProcess>()
  const switchboard = createSwitchboard({ everyone, ...options })
  const pulse = watchPulse({ everyone, ask: switchboard.askCounts, log, everyMs: options.pulseMs })
  const lost = Promise.withResolvers<never>()
  let givenUp: GivenUp | undefined
  let stopping: Promise<void> | undefined
  let deathsAtStart = 0

  const start = (number: number): WorkerProcess => {
    const worker = startWorker({ number, workers, host, port, startedAt }, (from, message) => {
      pulse.heard(from)
      switchboard.hear(from, message)
    })
    everyone.add(worker)
    switchboard.greet(worker)
    void worker.ended.then(() => {
      everyone.delete(worker)
      switchboard.miss(worker)
    })
    return worker
  }

  /** As long as one serves, the service is better off with it than without. */
  const mayTryAgain = (reason: string): boolean => {
    if ([...everyone].some((worker) => worker.isReady())) deathsAtStart = 0
    else if (++deathsAtStart >= MAX_DEATHS_AT_START) giveUp(reason)
    return givenUp === undefined
  }

  const giveUp = (reason: string) => {
    givenUp = new GivenUp(`No worker comes up, in ${deathsAtStart} attempts (${reason}); the lines above say why.`)
    void stop({ graceMs: 0, lingerMs: 0 }).then(() => lost.reject(givenUp))
  }

  const places: Place[] = Array.from({ length: workers }, (_, index) =>
    createPlace({ start: () => start(index + 1), readyWithinMs, stopWithinMs, mayTryAgain, log }),
  )

  const open = async (): Promise<string> => {
    const [first, ...others] = places
    // What the first finds out about the content is on the disk for the others.
    const url = (await first?.fill()) ?? ''
    await Promise.all(others.map((place) => place.fill()))
    return url
  }

  const stop = (farewell: ShutdownOptions): Promise<void> => {
    for (const place of places) place.close()
    stopping ??= Promise.all([...everyone].map((worker) => worker.dismiss(farewell, stopWithinMs))).then(() => {
      pulse.close()
      switchboard.close()
    })
    return stopping
  }

  const roll = async (): Promise<string | undefined> => {
    try {
      await opened
      for (const place of places) await place.replace({ graceMs: 0, lingerMs })
      return undefined
    } catch (error) {
      return stopping ? 'the service is stopping' : (error as Error).message
    }
  }

  const opened = open().catch((error) => {
    throw givenUp ?? error
  })
  // Whoever waits for one of them may not wait for the other.
  for (const promise of [opened, lost.promise]) promise.catch(() => {})
  return { opened, lost: lost.promise, roll, stop: (graceMs) => stop({ graceMs, lingerMs: 0 }) }
}
