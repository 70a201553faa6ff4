import { monitorEventLoopDelay } from 'node:perf_hooks'

const RESOLUTION_MS = 20
/** Two of these are looked back on, so that a scrape every half minute misses nothing. */
const WINDOW_MS = 15_000

/** Seconds. */
export interface Lag {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export interface EventLoopWatch {
  /** The worse of this window and the one before; it may be asked by anyone, as often as they like. */
  lag(): Lag
  close(): void
}

export function watchEventLoop(windowMs = WINDOW_MS): EventLoopWatch {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  // Node measures from one tick of its timer to the next: what is more than the tick itself is lag.
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000)
  const read = (): Lag =>
    delays.count === 0
      ? { p50: 0, p99: 0, max: 0 }
      : { p50: late(delays.percentile(50)), p99: late(delays.percentile(99)), max: late(delays.max) }
  let before = read()
  const timer = setInterval(() => {
    before = read()
    delays.reset()
  }, windowMs)
  timer.unref()

  return {
    lag: () => {
      const now = read()
      const worse = (stat: keyof Lag) => Math.max(before[stat], now[stat])
      return { p50: worse('p50'), p99: worse('p99'), max: worse('max') }
    },
    close: () => {
      clearInterval(timer)
      delays.disable()
    },
  }
}
