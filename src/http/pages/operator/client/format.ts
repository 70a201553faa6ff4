export { formatBytes } from '../../shared/client/bytes.ts'

const compact = new Intl.NumberFormat('en', { maximumSignificantDigits: 3, notation: 'compact' })
const integer = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })
const time = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const timeWithSeconds = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hourCycle: 'h23' })
const dateTime = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' })
const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })

export const formatCompact = (value: number) => compact.format(value)
export const formatInteger = (value: number) => integer.format(value)
export const formatPercent = (share: number) => percent.format(share)
export const formatDuration = (ms: number) =>
  ms < 1 ? `${Math.round(ms * 1000)} µs` : ms < 1000 ? `${compact.format(ms)} ms` : `${compact.format(ms / 1000)} s`

export const formatTime = (at: number | string) => time.format(new Date(at))
export const formatTimeWithSeconds = (at: number | string) => timeWithSeconds.format(new Date(at))
export const formatDay = (at: number | string) => day.format(new Date(at))
export const formatDateTime = (at: number | string) => dateTime.format(new Date(at))

/** The time, with the date unless it is today. */
export const formatMoment = (at: string) =>
  new Date(at).toDateString() === new Date().toDateString() ? formatTime(at) : formatDateTime(at)

export const formatCount = (count: number, one: string, many: string) =>
  `${formatInteger(count)} ${count === 1 ? one : many}`
