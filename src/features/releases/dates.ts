const DAY = /^(\d{4})-(\d\d)-(\d\d)/
const CLOCK = /^T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/

const dateRule = 'must be a date that exists, such as 2026-12-01 or 2026-12-01T10:00:00Z (with Z or an offset)'
const zoneRule = 'must end in its zone: Z, or an offset such as +01:00'

/** What is wrong with a text that is no date. */
export const dateRuleFor = (text: string) => (parseDate(`${text}Z`) ? zoneRule : dateRule)

/** ISO 8601 in UTC, or undefined. A day without a time begins at midnight UTC; a time without a zone is refused. */
export function parseDate(text: string): string | undefined {
  const day = DAY.exec(text)
  if (!day) return undefined
  const [whole, year, month, date] = day
  // JavaScript takes 30 February for 2 March.
  const midnight = new Date(Date.UTC(Number(year), Number(month) - 1, Number(date)))
  if (Number(year) < 1970 || midnight.toISOString().slice(0, 10) !== whole) return undefined
  const clock = text.slice(whole.length)
  if (clock === '') return midnight.toISOString()
  const moment = CLOCK.test(clock) ? new Date(text) : undefined
  // A zone can lead beyond the last year of four digits, and a longer one would sort before all others.
  return moment && moment.getUTCFullYear() <= 9999 ? moment.toISOString() : undefined
}
