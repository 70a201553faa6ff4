/** A time range of the dashboard. Minutes come from the memory of the node, days from the store of all nodes. */
export type Range = { readonly minutes: number } | { readonly days: number }

export const parseRange = (value: string): Range =>
  value.startsWith('d') ? { days: Number(value.slice(1)) } : { minutes: Number(value) }

export const toQuery = (range: Range) => ('days' in range ? `days=${range.days}` : `minutes=${range.minutes}`)

/** Seconds of a slot: the charts have sixty of them. */
export const stepOf = (range: Range) => ('days' in range ? 60 : range.minutes)

/** Seconds that have passed in the range; today is not over. */
export const secondsOf = (range: Range, now = Date.now()) =>
  'days' in range ? (range.days - 1) * 86_400 + ((now / 1000) % 86_400) : range.minutes * 60
