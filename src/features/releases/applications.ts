// What the dedicated application consists of: the words of its paths and parameters, once.
import { InvalidParameter, UnknownApplication, UnknownTier } from '../../errors/index.ts'

export const applications = ['launcher', 'reshade', 'fpsUnlocker'] as const
export type Application = (typeof applications)[number]

export const channels = ['stable', 'beta'] as const
export type Channel = (typeof channels)[number]

export const tierNames = { 2: 'favorite', 3: 'trusted' } as const
export type Tier = keyof typeof tierNames
export const tiers = Object.keys(tierNames)

export function applicationNamed(text: string): Application {
  const application = applications.find((name) => name === text)
  if (!application) throw new UnknownApplication(text, [...applications])
  return application
}

export function channelNamed(text: string): Channel {
  const channel = channels.find((name) => name === text)
  if (!channel) throw new InvalidParameter('channel', `one of ${channels.join(', ')}`, { allowed: channels })
  return channel
}

/** The exact text only: "02", "2.0" and "two" are unknown. */
export function tierNamed(text: string): Tier {
  if (!tiers.includes(text)) throw new UnknownTier(text, tiers)
  return Number(text) as Tier
}
