/**
 * Which of the types that we can give does `Accept` prefer? The first of `offered` is what a caller without wishes
 * gets: no header, or `*` for both parts. Undefined where none is acceptable.
 */
export function negotiate<const T extends string>(accept: string | undefined, offered: readonly T[]): T | undefined {
  // What nearly all programs send.
  if (accept === undefined || accept === '' || accept === '*/*') return offered[0]
  const wishes = parseAccept(accept)
  let best: T | undefined
  let bestQuality = 0
  let bestOrder = Number.POSITIVE_INFINITY
  for (const type of offered) {
    const { quality, order } = wishFor(type, wishes)
    // Among equal wishes the one that names the type earlier counts: `image/webp, */*` means the picture.
    if (quality > bestQuality || (quality === bestQuality && quality > 0 && order < bestOrder)) {
      best = type
      bestQuality = quality
      bestOrder = order
    }
  }
  return best
}

interface Wish {
  readonly type: string
  readonly quality: number
  /** How much it names: 2 a type, 1 a family, 0 anything. */
  readonly precision: number
  readonly order: number
}

const MAX_OPTIONS = 32

function parseAccept(accept: string): Wish[] {
  return accept
    .split(',', MAX_OPTIONS)
    .map((part, order) => {
      const [type = '', ...parameters] = part.split(';').map((word) => word.trim().toLowerCase())
      const given = parameters.find((word) => word.startsWith('q='))?.slice(2)
      const quality = given === undefined ? 1 : Number(given)
      const precision = type === '*/*' ? 0 : type.endsWith('/*') ? 1 : 2
      return { type, quality: quality >= 0 && quality <= 1 ? quality : 0, precision, order }
    })
    .filter(({ type }) => type.includes('/'))
}

/** The most precise wish that fits a type decides on it. */
function wishFor(type: string, wishes: readonly Wish[]): { quality: number; order: number } {
  let fit: Wish | undefined
  for (const wish of wishes) {
    const fits =
      wish.precision === 0 || wish.type === type || (wish.precision === 1 && type.startsWith(wish.type.slice(0, -1)))
    if (fits && (fit === undefined || wish.precision > fit.precision)) fit = wish
  }
  return fit ? { quality: fit.quality, order: fit.order - fit.precision * MAX_OPTIONS } : { quality: 0, order: 0 }
}
