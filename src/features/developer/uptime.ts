export interface Uptime {
  /** Hours go on past 24: "26:03:09". */
  readonly time: string
  readonly full: string
  /** In seconds. */
  readonly uptime: number
  readonly startedAt: string
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** Tells how long ago that was. The clock on the wall may jump; the one that performance reads does not. */
export function uptimeSince(startedAt: Date): () => Uptime {
  const begun = performance.now() - Math.max(0, Date.now() - startedAt.getTime())
  return () => describeUptime((performance.now() - begun) / 1000, startedAt)
}

export function describeUptime(seconds: number, startedAt: Date): Uptime {
  const whole = Math.floor(seconds)
  return {
    time: [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60].map(twoDigits).join(':'),
    full: inWords(whole),
    uptime: Math.round(seconds * 100) / 100,
    startedAt: startedAt.toISOString(),
  }
}

const twoDigits = (value: number) => String(value).padStart(2, '0')

function inWords(seconds: number): string {
  const parts: string[] = []
  let left = seconds
  for (const [name, length] of UNITS) {
    const count = Math.floor(left / length)
    left -= count * length
    if (count > 0) parts.push(`${count} ${name}${count === 1 ? '' : 's'}`)
  }
  const last = parts.pop() ?? '0 seconds'
  return parts.length > 0 ? `${parts.join(', ')} and ${last}` : last
}
