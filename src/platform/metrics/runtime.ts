// Metrics of the process: event loop, garbage collection, memory, CPU.
import { constants, monitorEventLoopDelay } from 'node:perf_hooks'
import { definitions } from './definitions.ts'
import { byLabel, createHistograms, createTally, type Snapshot, single } from './snapshot.ts'

const RESOLUTION_MS = 20
/** A window is a slot of the history (5 s). `lag` covers the last 30 s, so that a scrape every 30 s misses no delay. */
const WINDOWS = 6

/** In seconds. */
type Lag = Readonly<Record<'p50' | 'p99' | 'max', number>>

export type EventLoopMonitor = ReturnType<typeof monitorEventLoop>

export function monitorEventLoop() {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  const windows: Lag[] = []
  // Node measures from one tick of its timer to the next. What exceeds the tick itself is lag.
  const toLag = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000)
  const read = (): Lag => ({
    p50: toLag(delays.percentile(50)),
    p99: toLag(delays.percentile(99)),
    max: toLag(delays.max),
  })
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

/** Linux reports memory in a file, which cannot be opened while too many files are open: then the last value stays. */
function createMemoryReader<T>(read: () => T): () => T {
  let last = read()
  return () => {
    try {
      last = read()
    } catch {}
    return last
  }
}

/** Returns the resident memory in bytes, and the share of one core that was used since the previous call. */
export function createProcessGauges() {
  let usage = process.cpuUsage()
  let readAt = performance.now()
  const readMemory = createMemoryReader(process.memoryUsage.rss)
  return () => {
    const { user, system } = process.cpuUsage(usage)
    const elapsedMs = performance.now() - readAt
    usage = process.cpuUsage()
    readAt = performance.now()
    return { memory: readMemory(), cpu: elapsedMs > 0 ? (user + system) / 1000 / elapsedMs : 0 }
  }
}

type GcEntry = PerformanceEntry & { readonly detail: { readonly kind: number } }

const GC_KINDS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
}

export function createRuntimeMetrics(eventLoop: Pick<EventLoopMonitor, 'lag'>) {
  const readMemory = createMemoryReader(process.memoryUsage)
  const pauses = createHistograms(definitions.gcSeconds)
  const observer = new PerformanceObserver((list) => {
    for (const { detail, duration } of list.getEntries() as GcEntry[]) {
      pauses.observeMs(GC_KINDS[detail.kind] ?? 'other', duration)
    }
  })
  observer.observe({ entryTypes: ['gc'] })

  return {
    snapshot: (): Snapshot => {
      const { rss, ...memory } = readMemory()
      const { user, system } = process.cpuUsage()
      const { active, idle } = performance.eventLoopUtilization()
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
        startTime: single(performance.timeOrigin / 1000),
        workers: single(1),
      }
    },
    close: () => observer.disconnect(),
  }
}
