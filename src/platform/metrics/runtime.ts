// Metrics of the process: event loop, garbage collection, memory, CPU.
import * as perfHooks from 'node:perf_hooks'
import { definitions } from './definitions.ts'
import { byLabel, createHistograms, createTally, type Snapshot, single } from './snapshot.ts'

const RESOLUTION_MS = 20
/** Windows of five seconds, as long as a slot of the history: `lag` covers half a minute, as long as a slow scrape. */
const WINDOWS = 6

/** In seconds. */
type Lag = Readonly<Record<'p50' | 'p99' | 'max', number>>

export type EventLoopMonitor = ReturnType<typeof monitorEventLoop>

export function monitorEventLoop() {
  const delays = perfHooks.monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  const windows: Lag[] = []
  // Node measures from one tick of its timer to the next. What exceeds the tick itself is lag.
  const toLag = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000)
  const read = (): Lag =>
    delays.count === 0
      ? { p50: 0, p99: 0, max: 0 }
      : { p50: toLag(delays.percentile(50)), p99: toLag(delays.percentile(99)), max: toLag(delays.max) }

  return {
    /** The worst of the current and the last six windows. Reading does not end the window. */
    lag: (): Lag => {
      const all = [...windows, read()]
      const worst = (stat: keyof Lag) => Math.max(...all.map((window) => window[stat]))
      return { p50: worst('p50'), p99: worst('p99'), max: worst('max') }
    },
    /** Ends the current window and returns its lag. Only the history calls it, at the end of each slot. */
    endWindow: () => {
      const window = read()
      delays.reset()
      windows.push(window)
      if (windows.length > WINDOWS) windows.shift()
      return window
    },
    close: () => delays.disable(),
  }
}

/** Returns the resident memory in bytes, and the share of one core that was used since the previous call. */
export function createProcessGauges() {
  let usage = process.cpuUsage()
  let readAt = perfHooks.performance.now()
  let memory = 0
  return () => {
    // Linux reports it in a file, which cannot be opened while too many files are open: then the last value stays.
    try {
      memory = process.memoryUsage.rss()
    } catch {}
    const { user, system } = process.cpuUsage(usage)
    const elapsedMs = perfHooks.performance.now() - readAt
    usage = process.cpuUsage()
    readAt = perfHooks.performance.now()
    return { memory, cpu: elapsedMs > 0 ? (user + system) / 1000 / elapsedMs : 0 }
  }
}

type GcEntry = perfHooks.PerformanceEntry & { readonly detail: { readonly kind: number } }

const GC_KINDS: Readonly<Record<number, string>> = {
  [perfHooks.constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [perfHooks.constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [perfHooks.constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [perfHooks.constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
}

export function createRuntimeMetrics(eventLoop: Pick<EventLoopMonitor, 'lag'>) {
  const pauses = createHistograms(definitions.gcSeconds)
  const observer = new perfHooks.PerformanceObserver((list) => {
    for (const { detail, duration } of list.getEntries() as GcEntry[]) {
      pauses.of(GC_KINDS[detail.kind] ?? 'other').observe(duration / 1000)
    }
  })
  observer.observe({ entryTypes: ['gc'] })

  return {
    snapshot: (): Snapshot => {
      const { rss, ...memory } = process.memoryUsage()
      const { user, system } = process.cpuUsage()
      const { active, idle } = perfHooks.performance.eventLoopUtilization()
      const resources = createTally()
      for (const type of process.getActiveResourcesInfo()) resources.add(type)
      return {
        eventLoopLag: byLabel(eventLoop.lag()),
        eventLoopSeconds: byLabel({ active: active / 1000, idle: idle / 1000 }),
        gcSeconds: pauses.samples(),
        memory: byLabel(memory),
        resources: resources.samples(),
        residentMemory: single(rss),
        cpuSeconds: single((user + system) / 1e6),
        startTime: single(perfHooks.performance.timeOrigin / 1000),
        processes: single(1),
      }
    },
    close: () => observer.disconnect(),
  }
}
