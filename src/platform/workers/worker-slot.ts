import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../logging/index.ts'
import { createBackOff } from './back-off.ts'
import type { ShutdownOptions } from './messages.ts'
import { inWords, type WorkerProcess } from './worker-process.ts'

export interface PlaceOptions {
  start(): WorkerProcess
  readonly readyWithinMs: number
  readonly stopWithinMs: number
  /** A worker ended before it served; false gives the place up. */
  mayTryAgain(reason: string): boolean
  readonly log: Log
}

/** One of the workers that shall run, whichever process that is at the moment. */
export interface Place {
  /** Resolves to the URL when a worker serves; from then on one that dies is replaced. */
  fill(): Promise<string>
  /** The new one serves before the old one goes; where it does not come up the old one stays, and this rejects. */
  replace(farewell: ShutdownOptions): Promise<void>
  /** Starts no worker any more. */
  close(): void
}

export function createPlace({ start, readyWithinMs, stopWithinMs, mayTryAgain, log }: PlaceOptions): Place {
  const backOff = createBackOff()
  const closed = new AbortController()
  let current: WorkerProcess | undefined
  let filling: Promise<string> | undefined
  let isReplacing = false

  const comesUp = async (worker: WorkerProcess): Promise<string> => {
    const late = setTimeout(() => worker.kill(), readyWithinMs)
    try {
      return await worker.ready
    } finally {
      clearTimeout(late)
    }
  }

  const fill = () => {
    filling ??= tryUntilFilled().finally(() => {
      filling = undefined
    })
    return filling
  }

  const tryUntilFilled = async (): Promise<string> => {
    for (;;) {
      closed.signal.throwIfAborted()
      const worker = start()
      try {
        const url = await comesUp(worker)
        take(worker)
        return url
      } catch (error) {
        const reason = (error as Error).message
        closed.signal.throwIfAborted()
        log.error({ worker: worker.number, reason }, 'a worker did not come up')
        if (!mayTryAgain(reason)) throw error
        await wait(worker)
      }
    }
  }

  const take = (worker: WorkerProcess) => {
    current = worker
    void worker.ended.then(async (ending) => {
      if (closed.signal.aborted || worker.isDismissed()) return
      const facts = { worker: worker.number, pid: worker.pid, reason: inWords(ending) }
      log.error(facts, 'a worker died; another takes its place')
      if (current === worker && !isReplacing) await refill(worker)
    })
  }

  /** Fails only where the place is closed or given up, and then whoever did that knows. */
  const refill = (dead: WorkerProcess) =>
    wait(dead)
      // A roll may have put another in its place meanwhile, or be about to.
      .then(() => (current === dead && !isReplacing ? fill() : undefined))
      .catch(() => {})

  const wait = ({ bornAt }: WorkerProcess) =>
    sleep(backOff.next(performance.now() - bornAt), undefined, { signal: closed.signal })

  return {
    fill,
    async replace(farewell) {
      await filling
      closed.signal.throwIfAborted()
      const old = current
      isReplacing = true
      try {
        const next = start()
        await comesUp(next)
        take(next)
      } finally {
        isReplacing = false
        if (old && current === old && old.hasEnded()) void refill(old)
      }
      await old?.dismiss(farewell, stopWithinMs)
    },
    close: () => closed.abort(),
  }
}
