export interface Uptime {
  /** Hours may exceed 24: "26:03:09". */
  readonly time: string
  /** "1 day, 2 hours, 3 minutes and 9 seconds" */
  readonly full: string
  /** Seconds. */
  readonly uptime: number
  readonly startedAt: string
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** Returns a function that reads the uptime from the monotonic clock, because the system clock may jump. */
export function createUptimeClock(startedAt: Date): () => Uptime {
  const start = performance.now() - Math.max(0, Date.now() - startedAt.getTime())
  return () => formatUptime((performance.now() - start) / 1000, startedAt)
}

export function formatUptime(seconds: number, startedAt: Date): Uptime {
  const wholeSeconds = Math.floor(seconds)
  const parts = [Math.floor(wholeSeconds / 3600), Math.floor(wholeSeconds / 60) % 60, wholeSeconds % 60]
  return {
    time: parts.map((value) => String(value).padStart(2, '0')).join(':'),
    full: formatDuration(wholeSeconds),
    uptime: Math.round(seconds * 100) / 100,
    startedAt: startedAt.toISOString(),
  }
}

function formatDuration(seconds: number): string {
  const parts: string[] = []
  let remaining = seconds
  for (const [name, length] of UNITS) {
    const count = Math.floor(remaining / length)
    remaining -= count * length
    if (count > 0) parts.push(`${count} ${name}${count === 1 ? '' : 's'}`)
  }
  const last = parts.pop() ?? '0 seconds'
  return parts.length > 0 ? `${parts.join(', ')} and ${last}` : last
}
