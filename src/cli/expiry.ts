import { UsageError } from './command.ts'

const spans: Record<string, number> = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 }

/** The moment that "90d", "12h", "4w" or a date means; a past one would make a token that never works. */
export function expiryOf(text: string, now: number, option = '--expires'): number {
  const [, number, unit = ''] = /^(\d{1,5})([hdw])$/.exec(text) ?? []
  const at = number === undefined ? dateOf(text) : now + Number(number) * (spans[unit] ?? 0)
  if (Number.isNaN(at)) {
    throw new UsageError(
      `${option} must be a span such as 90d, 12h or 4w, or a date such as 2027-01-01, not "${text}".`,
    )
  }
  if (at <= now) throw new UsageError(`${option} must be in the future, not "${text}".`)
  return at
}

function dateOf(text: string): number {
  const at = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : Number.NaN
  // JavaScript takes 30 February for 2 March.
  const day = new Date(text.slice(0, 10))
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10)) ? at : Number.NaN
}
