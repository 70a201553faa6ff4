// The numbers of the process itself.
import { constants, type PerformanceEntry, PerformanceObserver, performance } from 'node:perf_hooks'
import { definitions } from './definitions.ts'
import type { EventLoopWatch } from './event-loop.ts'
import { createHistograms } from './instruments.ts'
import type { Sample, Snapshot } from './snapshot.ts'

export interface RuntimeWatch {
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

export function watchRuntime(eventLoop: EventLoopWatch): RuntimeWatch {
  const pauses = createHistograms(definitions.gcSeconds)
  const collector = new PerformanceObserver((list) => {
    for (const { detail, duration } of list.getEntries() as GcEntry[]) {
      pauses.of(GC_KINDS[detail.kind] ?? 'other').observe(duration / 1000)
    }
  })
  collector.observe({ entryTypes: ['gc'] })

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
        resources: byLabel(countOf(process.getActiveResourcesInfo())),
        residentMemory: single(rss),
        cpuSeconds: single((user + system) / 1e6),
        startTime: single(performance.timeOrigin / 1000),
        processes: single(1),
      }
    },
    close: () => collector.disconnect(),
  }
}

/** A metric without labels. */
export const single = (value: number): Sample[] => [[[], value]]

/** A metric with one label. */
export const byLabel = (values: Readonly<Record<string, number>>): Sample[] =>
  Object.entries(values).map(([label, value]) => [[label], value])

function countOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
