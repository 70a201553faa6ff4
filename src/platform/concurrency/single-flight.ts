// Work that callers share, work with a timeout, and results that are kept.
import { addAbortListener } from 'node:events'
import { Busy } from '../../errors/index.ts'

type Flight<T> = { outcome: Promise<T>; callers: number; controller: AbortController }

type Work<T> = (signal: AbortSignal) => Promise<T>

/** Created once: nobody reads it, and its stack trace would cost more than everything else here. */
const noCallerLeft = new DOMException('no caller waits for the result', 'AbortError')

/** Callers with the same key share one piece of work. It is aborted when its last caller has aborted. */
function createSingleFlight<T>() {
  const flights = new Map<string, Flight<T>>()

  const remove = (key: string, flight: Flight<T>) => {
    if (flights.get(key) === flight) flights.delete(key)
  }

  function start(key: string, work: Work<T>): Flight<T> {
    const controller = new AbortController()
    const flight: Flight<T> = {
      outcome: work(controller.signal).finally(() => remove(key, flight)),
      callers: 0,
      controller,
    }
    flights.set(key, flight)
    return flight
  }

  return async (key: string, signal: AbortSignal, work: Work<T>): Promise<{ value: T; joined: boolean }> => {
    signal.throwIfAborted()
    const existing = flights.get(key)
    const flight = existing ?? start(key, work)
    flight.callers++
    const { promise: aborted, reject } = Promise.withResolvers<never>()
    using _listener = addAbortListener(signal, () => reject(signal.reason))
    try {
      return { value: await Promise.race([flight.outcome, aborted]), joined: existing !== undefined }
    } finally {
      flight.callers--
      if (flight.callers === 0) {
        remove(key, flight)
        flight.controller.abort(noCallerLeft)
      }
    }
  }
}

/** Longer than most images take. */
const JOIN_TIMEOUT_MS = 500

/** The work gives `onOutside` a function that says whether it waits outside of all queues, such as for a source. */
type FairWork<T> = (signal: AbortSignal, onOutside: (isOutside: () => boolean) => void) => Promise<T>

/**
 * Single-flight for clients that wait in fair queues. If the shared work fails with BUSY, or is in a queue for long, a
 * client that only joined it starts its own and gets what ends first: the queue of the client that was first may be full
 * or long while the other's is not.
 */
export function createFairSingleFlight<T>() {
  const share = createSingleFlight<T>()
  /** The client that started the work with a key, and whether the work waits outside of all queues. */
  const started = new Map<string, { readonly client: string; isOutside: () => boolean }>()

  return async (key: string, client: string, callerSignal: AbortSignal, work: FairWork<T>) => {
    const ended = new AbortController()
    const signal = AbortSignal.any([callerSignal, ended.signal])
    let isOwn = false
    const join = (name: string) =>
      share(name, signal, (sharedSignal) => {
        isOwn = true
        const flight = { client, isOutside: () => false }
        started.set(name, flight)
        const setOutside = (isOutside: () => boolean) => {
          flight.isOutside = isOutside
        }
        return work(sharedSignal, setOutside).finally(() => started.get(name) === flight && started.delete(name))
      })
    const isQueuedByOther = () => {
      const flight = started.get(key)
      return flight !== undefined && flight.client !== client && !flight.isOutside()
    }

    const shared = join(key)
    if (isOwn) return shared
    try {
      let isRefused = false
      const unlessRefused = shared.catch((error: unknown) => {
        if (!(error instanceof Busy)) throw error
        isRefused = true
      })
      while (!isRefused) {
        const done = await withTimeout(JOIN_TIMEOUT_MS, unlessRefused, () => {})
        if (done) return done
        if (isQueuedByOther()) break
      }
      const own = join(JSON.stringify([key, client]))
      return await Promise.any([shared, own]).catch(() => own)
    } finally {
      ended.abort(noCallerLeft)
    }
  }
}

/** Calls of `run` during a run of `work` share that run. `running` returns its promise. */
export function createSharedRun<T>(work: () => Promise<T>) {
  let running: Promise<T> | undefined
  const run = (): Promise<T> => {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }
  return { run, running: () => running }
}

/** Never runs `work` twice at a time. Calls of `run` during a run share one further run after it. `whenIdle` waits for both. */
export function createSerialRun(work: () => Promise<void>) {
  let running = Promise.resolve()
  let next: Promise<void> | undefined
  const run = (): Promise<void> => {
    next ??= running.then(() => {
      next = undefined
      const started = work()
      // A run that fails must not prevent later ones.
      running = started.catch(() => {})
      return started
    })
    return next
  }
  return { run, whenIdle: () => next?.catch(() => {}) ?? running }
}

/**
 * Resolves to the result of the work, or to that of `onTimeout` if the work takes longer than `ms`. Leaves no timer behind.
 * If this process itself was busy for that long, a result may have arrived without being read: it gets one more turn.
 */
export async function withTimeout<T>(ms: number, work: Promise<T>, onTimeout: () => T): Promise<T> {
  const { promise: late, resolve, reject } = Promise.withResolvers<T>()
  let turn: NodeJS.Immediate | undefined
  const giveUp = () => {
    try {
      resolve(onTimeout())
    } catch (error) {
      reject(error)
    }
  }
  const timer = setTimeout(() => {
    turn = setImmediate(giveUp)
  }, ms)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
    clearImmediate(turn)
  }
}

interface TextCacheOptions {
  readonly maxTexts: number
  /** The results of longer texts are not kept, because they would occupy memory. */
  readonly maxLength?: number
}

/**
 * Keeps the results for texts that clients send again and again. It is emptied as a whole when it is full, which costs
 * less at each hit than an LRU.
 */
export function cacheByText<Result>(compute: (text: string) => Result, options: TextCacheOptions) {
  const { maxTexts, maxLength = Number.POSITIVE_INFINITY } = options
  const results = new Map<string, Result>()
  return (text: string): Result => {
    const known = results.get(text)
    if (known !== undefined) return known
    const result = compute(text)
    if (text.length > maxLength) return result
    if (results.size >= maxTexts) results.clear()
    results.set(text, result)
    return result
  }
}

/** False: the promise was rejected. */
export const succeeds = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  )

/** Calls of another process or thread, which wait for their answers by id. */
export function createPendingCalls<Answer>() {
  const pending = new Map<number, (answer: Answer) => void>()
  let lastId = 0
  return {
    /** `send` sends the call with its id. Resolves to `fallback` if no answer arrives in time. */
    async call(timeoutMs: number, fallback: Answer, send: (id: number) => void): Promise<Answer> {
      const id = ++lastId
      const { promise, resolve } = Promise.withResolvers<Answer>()
      pending.set(id, resolve)
      try {
        send(id)
        return await withTimeout(timeoutMs, promise, () => fallback)
      } finally {
        pending.delete(id)
      }
    },
    resolve: (id: number, answer: Answer) => pending.get(id)?.(answer),
    /** No more answers will arrive. */
    resolveAll(answer: Answer): void {
      for (const resolve of pending.values()) resolve(answer)
    },
    count: () => pending.size,
  }
}

/** CPU time of this thread: it does not advance while the thread waits for the processor, such as for image processes. */
export function measureThreadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
