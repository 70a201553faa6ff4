/**
 * Returns the offered type that the `Accept` header prefers, or undefined if none is acceptable. Without a preference
 * (no header, or `*` for both parts) it is the first of `offered`.
 */
export function negotiate<const T extends string>(accept: string | undefined, offered: readonly T[]): T | undefined {
  // What nearly all programs send.
  if (accept === undefined || accept === '' || accept === '*/*') return offered[0]
  const preferences = parseAccept(accept)
  let best: T | undefined
  let bestQuality = 0
  let bestOrder = Number.POSITIVE_INFINITY
  for (const type of offered) {
    const { quality, order } = ratePreference(type, preferences)
    // With equal quality the type that is named earlier wins: `image/webp, */*` means the image.
    if (quality > bestQuality || (quality === bestQuality && quality > 0 && order < bestOrder)) {
      best = type
      bestQuality = quality
      bestOrder = order
    }
  }
  return best
}

interface Preference {
  readonly type: string
  readonly quality: number
  /** 2: a type, 1: a family such as image, 0: any type. */
  readonly precision: number
  readonly order: number
}

const MAX_PREFERENCES = 32

function parseAccept(accept: string): Preference[] {
  return accept
    .split(',', MAX_PREFERENCES)
    .map((part, order) => {
      const [type = '', ...parameters] = part.split(';').map((word) => word.trim().toLowerCase())
      const text = parameters.find((word) => word.startsWith('q='))?.slice(2)
      const quality = text === undefined ? 1 : Number(text)
      const precision = type === '*/*' ? 0 : type.endsWith('/*') ? 1 : 2
      return { type, quality: quality >= 0 && quality <= 1 ? quality : 0, precision, order }
    })
    .filter(({ type }) => type.includes('/'))
}

/** The most precise preference that matches a type decides. */
function ratePreference(type: string, preferences: readonly Preference[]): { quality: number; order: number } {
  let match: Preference | undefined
  for (const preference of preferences) {
    const { precision } = preference
    const isMatch =
      precision === 0 || preference.type === type || (precision === 1 && type.startsWith(preference.type.slice(0, -1)))
    if (isMatch && (match === undefined || precision > match.precision)) match = preference
  }
  if (!match) return { quality: 0, order: 0 }
  return { quality: match.quality, order: match.order - match.precision * MAX_PREFERENCES }
}
