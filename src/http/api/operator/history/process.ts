import { monitorEventLoopDelay } from 'node:perf_hooks'

const RESOLUTION_MS = 20

export interface ProcessMeasures {
  /** Bytes of memory that the process holds. */
  readonly memory: number
  /** The longest time, in ms, that a timer had to wait for its turn. */
  readonly lag: number
  /** Share of one core. */
  readonly cpu: number
}

/** How the process is, since it was asked the last time. */
export function watchProcess() {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  let used = process.cpuUsage()
  let at = performance.now()
  let memory = 0
  /** Linux tells it in a file, which cannot be opened while too many are: then it is what it was. */
  const measuredMemory = () => {
    try {
      memory = process.memoryUsage.rss()
    } catch {}
    return memory
  }
  return {
    read(): ProcessMeasures {
      const { user, system } = process.cpuUsage(used)
      const ms = performance.now() - at
      const lag = Math.max(0, delay.max / 1e6 - RESOLUTION_MS)
      used = process.cpuUsage()
      at = performance.now()
      delay.reset()
      return { memory: measuredMemory(), lag, cpu: ms > 0 ? (user + system) / 1000 / ms : 0 }
    },
    close: () => delay.disable(),
  }
}
