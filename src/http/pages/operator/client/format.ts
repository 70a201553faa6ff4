import { formatBytes } from '../../shared/client/bytes.ts'

const short = new Intl.NumberFormat('en', { maximumSignificantDigits: 3, notation: 'compact' })
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const shares = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })
const clock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const precise = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hourCycle: 'h23' })
const dated = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' })
const days = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })

export const inShort = (value: number) => short.format(value)
export const inWhole = (value: number) => whole.format(value)
export const inPercent = (share: number) => shares.format(share)
export const inDuration = (ms: number) =>
  ms < 1 ? `${Math.round(ms * 1000)} µs` : ms < 1000 ? `${short.format(ms)} ms` : `${short.format(ms / 1000)} s`
export { formatBytes as inBytes }

export const atClock = (at: number | string) => clock.format(new Date(at))
export const atSecond = (at: number | string) => precise.format(new Date(at))
export const onDay = (at: number | string) => days.format(new Date(at))
export const onDate = (at: number | string) => dated.format(new Date(at))

export const counted = (count: number, one: string, many: string) => `${inWhole(count)} ${count === 1 ? one : many}`
