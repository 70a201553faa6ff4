// Metrics of the process: event loop, garbage collection, memory, CPU.
import {
  constants,
  monitorEventLoopDelay,
  type PerformanceEntry,
  PerformanceObserver,
  performance,
} from 'node:perf_hooks'
import { definitions } from './definitions.ts'
import { byLabel, createHistograms, type Snapshot, single } from './snapshot.ts'

const RESOLUTION_MS = 20
/** Windows of five seconds, as long as a slot of the history: `lag` covers half a minute, as long as a slow scrape. */
const WINDOWS = 6

/** In seconds. */
export interface Lag {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export interface EventLoopMonitor {
  /** The worst of the current and the last six windows. Reading changes nothing, so anyone may read it. */
  lag(): Lag
  /** Ends the current window and returns its lag. Only the history calls it, at the end of each slot. */
  endWindow(): Lag
  close(): void
}

export function monitorEventLoop(): EventLoopMonitor {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  const windows: Lag[] = []
  // Node measures from one tick of its timer to the next. What exceeds the tick itself is lag.
  const toLag = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000)
  const read = (): Lag =>
    delays.count === 0
      ? { p50: 0, p99: 0, max: 0 }
      : { p50: toLag(delays.percentile(50)), p99: toLag(delays.percentile(99)), max: toLag(delays.max) }

  return {
    lag: () => {
      const all = [...windows, read()]
      const worst = (stat: keyof Lag) => Math.max(...all.map((window) => window[stat]))
      return { p50: worst('p50'), p99: worst('p99'), max: worst('max') }
    },
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

export interface ProcessGauges {
  /** Resident memory in bytes. */
  readonly memory: number
  /** Share of one core since the previous call. */
  readonly cpu: number
}

export function createProcessGauges(): () => ProcessGauges {
  let usage = process.cpuUsage()
  let readAt = performance.now()
  let memory = 0
  return () => {
    // Linux reports it in a file, which cannot be opened while too many files are open: then the last value stays.
    try {
      memory = process.memoryUsage.rss()
    } catch {}
    const { user, system } = process.cpuUsage(usage)
    const elapsedMs = performance.now() - readAt
    usage = process.cpuUsage()
    readAt = performance.now()
    return { memory, cpu: elapsedMs > 0 ? (user + system) / 1000 / elapsedMs : 0 }
  }
}

export interface RuntimeMetrics {
  snapshot(): Snapshot
  close(): void
}

type GcEntry = PerformanceEntry & { readonly detail: { readonly kind: number } }

const GC_KINDS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
}

export function createRuntimeMetrics(eventLoop: EventLoopMonitor): RuntimeMetrics {
  const pauses = createHistograms(definitions.gcSeconds)
  const observer = new PerformanceObserver((list) => {
    for (const { detail, duration } of list.getEntries() as GcEntry[]) {
      pauses.of(GC_KINDS[detail.kind] ?? 'other').observe(duration / 1000)
    }
  })
  observer.observe({ entryTypes: ['gc'] })

  return {
    snapshot: () => {
      const { rss, ...memory } = process.memoryUsage()
      const { user, system } = process.cpuUsage()
      const { active, idle } = performance.eventLoopUtilization()
      return {
        eventLoopLag: byLabel({ ...eventLoop.lag() }),
        eventLoopSeconds: byLabel({ active: active / 1000, idle: idle / 1000 }),
        gcSeconds: pauses.samples(),
        memory: byLabel(memory),
        resources: byLabel(countNames(process.getActiveResourcesInfo())),
        residentMemory: single(rss),
        cpuSeconds: single((user + system) / 1e6),
        startTime: single(performance.timeOrigin / 1000),
        processes: single(1),
      }
    },
    close: () => observer.disconnect(),
  }
}

function countNames(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
