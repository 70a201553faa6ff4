/** At most this many positions on a logarithmic slider: few enough for each one to be hit by a finger. */
const LOGARITHMIC_POSITIONS = 64
/** From this ratio on, a linear slider would have most of its length for values that nobody wants. */
const MIN_RATIO = 100

interface Range {
  readonly min: number
  readonly max: number
}

/** The values of a slider by position. Every step of an arrow key changes the value. */
export function buildScale({ min, max }: Range): number[] {
  if (min > 0 && max / min >= MIN_RATIO) {
    const last = LOGARITHMIC_POSITIONS - 1
    const values = Array.from({ length: last + 1 }, (_, at) => Math.round(min * (max / min) ** (at / last)))
    return [...new Set(values)]
  }
  return Array.from({ length: Math.round((max - min) * 100) + 1 }, (_, at) => Math.round(min * 100 + at) / 100)
}

export function findPosition(scale: readonly number[], value: number): number {
  const distance = (at: number) => Math.abs((scale[at] ?? 0) - value)
  return scale.reduce((nearest, _, at) => (distance(at) < distance(nearest) ? at : nearest), 0)
}
