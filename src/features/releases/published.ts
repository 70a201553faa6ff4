// What is public at one moment. It never changes: another edit or another moment makes another one.
import { type Application, applications, type Channel } from './applications.ts'
import type { Content } from './read/folder.ts'
import type { NewsItem } from './read/news.ts'
import type { TiersFile } from './read/schema.ts'
import { type Downloadable, downloadable, newestFirst, type Release, releaseFrom } from './release.ts'

export interface ChannelList {
  /** Newest first. */
  readonly releases: readonly Release[]
  /** Where in the list the releases are that not every client is offered yet. */
  readonly staged: readonly number[]
}

export interface Published {
  /** The beta channel holds the stable releases too. */
  readonly releases: Readonly<Record<Application, Readonly<Record<Channel, ChannelList>>>>
  readonly resources: readonly Downloadable[]
  readonly tiers: TiersFile
  readonly news: readonly NewsItem[]
  /** The span of time (ms) in which this is what is public. */
  readonly from: number
  readonly until: number
}

/** Everything in the operator's files, also what is not public yet or no more. */
export interface Catalogue {
  readonly releases: Readonly<Record<Application, readonly Release[]>>
  readonly resources: readonly Downloadable[]
  readonly tiers: TiersFile
  readonly news: readonly NewsItem[]
}

export function catalogueOf({ releases, resources, tiers, news }: Omit<Content, 'problems'>): Catalogue {
  return {
    releases: perApplication((name) =>
      (releases[name] ?? []).map((record) => releaseFrom(name, record)).sort(newestFirst),
    ),
    resources: (resources.resources ?? []).map(downloadable).sort(newestFirst),
    tiers,
    news: news.toSorted((a, b) => (a.date === b.date ? (a.id < b.id ? 1 : -1) : a.date < b.date ? 1 : -1)),
  }
}

export function publishedAt(catalogue: Catalogue, now: number): Published {
  const moment = new Date(now).toISOString()
  const isDue = ({ date }: { date: string }) => date <= moment
  return {
    releases: perApplication((name) => {
      const beta = catalogue.releases[name].filter((release) => isDue(release) && !release.withdrawn)
      return { beta: channelList(beta), stable: channelList(beta.filter((release) => !release.beta)) }
    }),
    resources: catalogue.resources.filter(isDue),
    tiers: catalogue.tiers,
    news: catalogue.news.filter(isDue),
    ...spanAround(now, catalogue),
  }
}

const channelList = (releases: Release[]): ChannelList => ({
  releases,
  staged: releases.flatMap(({ rollout }, index) => (rollout < 100 ? [index] : [])),
})

function spanAround(now: number, { releases, resources, news }: Catalogue) {
  let from = Number.NEGATIVE_INFINITY
  let until = Number.POSITIVE_INFINITY
  for (const { date } of [...Object.values(releases).flat(), ...resources, ...news]) {
    const at = Date.parse(date)
    if (at <= now) from = Math.max(from, at)
    else until = Math.min(until, at)
  }
  return { from, until }
}

const perApplication = <T>(make: (name: Application) => T) =>
  Object.fromEntries(applications.map((name) => [name, make(name)])) as Record<Application, T>
