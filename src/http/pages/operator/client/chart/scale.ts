/** Where a value stands between the bottom (0) and the top (1) of a chart, and which values get a line. */
export interface Scale {
  readonly place: (value: number) => number
  readonly ticks: readonly number[]
}

const LINES = 3

/** 1, 2 or 5 times a power of ten, at least this. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 5, 10].map((digit) => digit * power).find((round) => round >= value) ?? value
}

export function linear(highest: number, least: number): Scale {
  const step = roundUp(Math.max(highest, least) / LINES)
  const top = Math.max(1, Math.ceil(Math.max(highest, least) / step)) * step
  const ticks = Array.from({ length: Math.round(top / step) + 1 }, (_, n) => n * step)
  return { place: (value) => value / top, ticks }
}

/** For times, which spread over powers of ten. */
export function logarithmic(values: readonly number[]): Scale {
  const low = Math.floor(Math.log10(Math.min(...values, 1)))
  const high = Math.max(low + 2, Math.ceil(Math.log10(Math.max(...values, 1))))
  const ticks = Array.from({ length: high - low + 1 }, (_, n) => 10 ** (low + n))
  return { place: (value) => (Math.log10(Math.max(value, 10 ** low)) - low) / (high - low), ticks }
}
