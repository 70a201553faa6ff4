const UNITS = { day: 86_400, hour: 3_600, minute: 60, second: 1 }
const list = new Intl.ListFormat('en-GB')

export type Uptime = ReturnType<typeof formatUptime>

/** Returns a function that reads the uptime from the monotonic clock, because the system clock may jump. */
export function createUptimeClock(startedAt: Date): () => Uptime {
  const start = performance.now() - Math.max(0, Date.now() - startedAt.getTime())
  return () => formatUptime((performance.now() - start) / 1000, startedAt)
}

export function formatUptime(seconds: number, startedAt: Date) {
  const wholeSeconds = Math.floor(seconds)
  const parts = [Math.floor(wholeSeconds / 3600), Math.floor(wholeSeconds / 60) % 60, wholeSeconds % 60]
  return {
    /** Hours may exceed 24: "26:03:09". */
    time: parts.map((value) => String(value).padStart(2, '0')).join(':'),
    /** "1 day, 2 hours, 3 minutes and 9 seconds" */
    full: formatDuration(wholeSeconds),
    /** Seconds. */
    uptime: Math.round(seconds * 100) / 100,
    startedAt: startedAt.toISOString(),
  }
}

function formatDuration(seconds: number): string {
  const parts: string[] = []
  let remaining = seconds
  for (const [name, length] of Object.entries(UNITS)) {
    const count = Math.floor(remaining / length)
    remaining -= count * length
    if (count > 0) parts.push(`${count} ${name}${count === 1 ? '' : 's'}`)
  }
  return list.format(parts) || '0 seconds'
}
