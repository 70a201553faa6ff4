// The vocabulary of v5: applications, channels, tiers, releases, dates and sizes.
import { InvalidParameter, UnknownApplication, UnknownTier } from '../../errors/index.ts'
import type { Asset, PublishedFile } from './asset.ts'
import type { Ramp } from './ramp.ts'
import type { Version } from './version.ts'

export const applications = ['launcher', 'reshade', 'fpsUnlocker'] as const
export type Application = (typeof applications)[number]

export const channels = ['stable', 'beta'] as const
export type Channel = (typeof channels)[number]

export const tierNames = { 2: 'favorite', 3: 'trusted' } as const
export type Tier = keyof typeof tierNames
export const tiers = Object.keys(tierNames)

export function parseApplication(text: string): Application {
  const application = applications.find((name) => name === text)
  if (!application) throw new UnknownApplication(text, [...applications])
  return application
}

export function parseChannel(text = 'stable'): Channel {
  const channel = channels.find((name) => name === text)
  if (!channel) throw new InvalidParameter('channel', `one of ${channels.join(', ')}`, { allowed: channels })
  return channel
}

/** Accepts the exact text only: "02", "2.0" and "two" are unknown tiers. */
export function parseTier(text: string): Tier {
  if (!tiers.includes(text)) throw new UnknownTier(text, tiers)
  return Number(text) as Tier
}

/** One version of an application or of the resources. */
export interface Publication {
  readonly version: string
  /** The parsed version, for comparisons. */
  readonly parsedVersion: Version
  /** ISO 8601, UTC. */
  readonly date: string
}

export interface Resources extends Publication, PublishedFile {
  readonly withdrawn: boolean
}

export interface Release extends Publication {
  readonly application: Application
  readonly beta: boolean
  /** Release notes in their original language. */
  readonly notes: string
  /** The notes by language, with the original. Undefined: they are not translated. */
  readonly notesByLanguage?: Readonly<Record<string, string>> | undefined
  /** Percentage of clients that are offered the release. In a catalogue, that of the first step of the ramp. */
  readonly rollout: number
  readonly ramp?: Ramp | undefined
  readonly withdrawn: boolean
  /** An update is mandatory for clients with an older version than this. */
  readonly minimum?: Version | undefined
  /** Sparkle installs the update in older versions only after it asked the user. */
  readonly autoUpdateFrom?: Version | undefined
  /** At least one. */
  readonly assets: readonly Asset[]
}

const DATE = /^\d{4}-\d\d-\d\d(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d))?$/

const dateRule = 'must be a date that exists, such as 2026-12-01 or 2026-12-01T10:00:00Z (with Z or an offset)'
const zoneRule = 'must end with a time zone: Z, or an offset such as +01:00'

/** Describes why a text is not a valid date; completes "<field> …". */
export const describeDateError = (text: string) => (parseDate(`${text}Z`) ? zoneRule : dateRule)

/** ISO 8601 in UTC, or undefined. A date without a time means midnight UTC. A time without a time zone is invalid. */
export function parseDate(text: string): string | undefined {
  const day = text.slice(0, 10)
  // JavaScript turns 30 February into 2 March.
  const isDay = DATE.test(text) && day >= '1970' && new Date(day).toJSON()?.startsWith(day)
  const date = new Date(text)
  // An offset can lead to the year 10000, whose text would sort before all others.
  return isDay && date.getUTCFullYear() <= 9999 ? date.toISOString() : undefined
}

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB']

/** Decimal units: 84_200_000 is "84.2 MB". */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  // 999.95 would be rounded to "1000.0".
  while (value >= (unit === 0 ? 1000 : 999.95) && unit < BYTE_UNITS.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${BYTE_UNITS[unit]}`
}
