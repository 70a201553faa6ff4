import { setImmediate as immediate } from 'node:timers/promises'
import { measureThreadMs } from './single-flight.ts'
import { createTurns, createUses, type GroupPath } from './turns.ts'

/** After this time of work the event loop reads what has arrived. */
const MAX_WORK_MS = 5
/** If requests take less on average, turns would cost more than they are worth, unless very many arrive at once. */
const SHORT_REQUEST_MS = 0.2
const MAX_ITERATION_MS = 25
/** Networks that used the thread longer lately are on a higher level, and wait for those on lower levels. */
const LEVEL_STEP_MS = 5
const LEVEL_STEPS = [0, 1, 4, 16]
/** Every fourth turn goes to the next level: otherwise many requests on one level would stop those on higher ones. */
const ROTATION_INTERVAL = 4
/** One request counts at most so much, and less if it is the first or after short ones: garbage may have been collected. */
const MAX_COUNTED_MS = 25
/** Comparing more networks would take longer than many requests. If more times are known, they are forgotten. */
const [MAX_COMPARED, MAX_NETWORKS] = [250, 10_000]
/** Node reads the first request of a connection one iteration of the event loop after it accepted the connection. */
const QUIET_ITERATIONS = 3

interface ThreadClock {
  readonly now: () => number
  /** CPU time of the thread. */
  readonly threadMs: () => number
}

const systemClock: ThreadClock = { now: () => performance.now(), threadMs: measureThreadMs }

type WaitingRequest = { readonly path: GroupPath; readonly start: () => void }

/**
 * Divides the time of this thread among clients. Node handles all requests that have arrived before it reads others, and
 * accepts one connection per iteration of the event loop. Some hundred requests of a few milliseconds would therefore
 * keep everybody waiting for seconds. Those of some hundred networks would, too, if all networks had the same turns.
 */
export function createThreadTurns(listGroups: (client: string) => GroupPath, clock = systemClock) {
  const uses = createUses(LEVEL_STEP_MS, clock.now)
  /** Sorting all networks at each turn would take longer than many requests. */
  const levels = LEVEL_STEPS.map((minSteps) => ({ minSteps, turns: createTurns<WaitingRequest>() }))
  /**
   * On one level, networks have the same time, not the same number of requests (fair queueing). The time of each starts with
   * that of the request that runs, and advances with its own requests. The next is the one that will end first, if its
   * network takes as long as last time: a short request does not wait for a long one of every other network.
   */
  const times = new Map<string, { readonly at: number; readonly lastMs: number; readonly usualMs: number }>()
  const readTime = (network: string) => Math.max(currentTime, times.get(network)?.at ?? 0)
  const estimateEnd = (network: string) => readTime(network) + (times.get(network)?.lastMs ?? 0)
  let [currentTime, taken] = [0, 0]

  /** Networks that are equal take turns. */
  function chooseNetwork(networks: IteratorObject<string>): string {
    let [chosen, firstEnd] = ['', Number.POSITIVE_INFINITY]
    for (const network of networks.take(MAX_COMPARED)) {
      const end = estimateEnd(network)
      if (end < firstEnd) [chosen, firstEnd] = [network, end]
    }
    return chosen
  }

  let [isRunning, arrived] = [false, 0]
  let period = startPeriod()
  let iteration = { number: -1, startedAt: 0 }

  /** How long the current iteration of the event loop has handled requests. */
  function measureIteration(now: number): number {
    const { loopCount } = performance.nodeTiming.uvMetricsInfo
    if (loopCount !== iteration.number) iteration = { number: loopCount, startedAt: now }
    return now - iteration.startedAt
  }

  function startPeriod() {
    return { startedAt: clock.now(), arrivedBefore: arrived, utilization: performance.eventLoopUtilization() }
  }

  const countWaiting = () => levels.reduce((sum, { turns }) => sum + turns.size(), 0)

  function findLevel({ path: [network = ''] }: WaitingRequest) {
    const steps = uses.countSteps(uses.measureMs(network))
    return levels.findLast(({ minSteps }) => steps >= minSteps)!
  }

  function takeNext(): WaitingRequest | undefined {
    const rotation = ++taken / ROTATION_INTERVAL
    for (;;) {
      const waiting = levels.filter(({ turns }) => turns.size() > 0)
      const level = waiting[Number.isInteger(rotation) ? rotation % waiting.length : 0]
      const next = level?.turns.findInWidestGroup(chooseNetwork(level.turns.listWidestGroups()))
      if (!level || !next) return undefined
      level.turns.endTurn(next.path)
      level.turns.remove(next.path, next)
      const current = findLevel(next)
      if (current.minSteps <= level.minSteps) return next
      // Its network has used more since it began to wait.
      current.turns.add(next.path, next)
    }
  }

  async function letArrive(): Promise<void> {
    const startedAt = clock.now()
    for (let quiet = 0; quiet < QUIET_ITERATIONS && clock.now() - startedAt < MAX_WORK_MS; ) {
      const before = countWaiting()
      await immediate()
      quiet = countWaiting() === before ? quiet + 1 : 0
    }
  }

  async function run(): Promise<void> {
    isRunning = true
    while (countWaiting() > 0) {
      await letArrive()
      const startedAt = clock.now()
      while (clock.now() - startedAt < MAX_WORK_MS) {
        const next = takeNext()
        if (!next) break
        const [network = ''] = next.path
        currentTime = readTime(network)
        const [startedAt, startMs] = [clock.now(), clock.threadMs()]
        uses.start(next.path)
        next.start()
        // Node calls this after all callbacks of promises: the work is done, or waits for something else.
        await new Promise<void>((resolve) => process.nextTick(resolve))
        const usualMs = times.get(network)?.usualMs ?? 0
        const lastMs = Math.min(MAX_COUNTED_MS, 2 * usualMs + 1, clock.threadMs() - startMs)
        uses.end(next.path, clock.now() - startedAt - lastMs)
        if (times.size >= MAX_NETWORKS) times.clear()
        times.set(network, { at: currentTime + lastMs, lastMs, usualMs: Math.max(lastMs, usualMs / 2) })
      }
    }
    isRunning = false
    period = startPeriod()
  }

  return {
    /** Called for each request: whether it should wait, because others do, or because the last ones took long. */
    mustWait(now: number): boolean {
      arrived++
      if (isRunning || now - period.startedAt < MAX_WORK_MS) return isRunning
      const { active } = performance.eventLoopUtilization(period.utilization)
      const isBusy =
        active > Math.max(MAX_WORK_MS, (arrived - period.arrivedBefore) * SHORT_REQUEST_MS) ||
        measureIteration(now) > MAX_ITERATION_MS
      if (!isBusy) period = startPeriod()
      return isBusy
    },

    /** Waits until what has arrived is read. Clients and their networks take turns. */
    wait(client: string): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      const request = { path: listGroups(client), start: resolve }
      findLevel(request).turns.add(request.path, request)
      if (!isRunning) void run()
      return promise
    },
  }
}
