// The shapes of INTERFACE: what one release, one set of resources and one piece of news look like in a reply.
import type { NewsItem } from './read/news.ts'
import type { Downloadable, Release } from './release.ts'
import { sizeForPeople } from './size.ts'

/** Every download goes by us, so that it is counted. */
export const downloadUrl = (base: string, { application, version }: Release) =>
  `${base}/download/${application}?version=${version}`

/** Where a piece of news can be read; without a page of its own it is its place in the list. */
export const newsUrl = (base: string, { id, url }: NewsItem) => url ?? newsPlace(base, id)
export const newsPlace = (base: string, id: string) => `${base}/launcher/news#${id}`

export const releaseReply = (base: string, release: Release) => ({
  version: release.version,
  beta: release.beta,
  releaseDate: release.date,
  size: sizeForPeople(release.bytes),
  bytes: release.bytes,
  url: downloadUrl(base, release),
  sha256: release.sha256,
  notes: release.notes,
})
export type ReleaseReply = ReturnType<typeof releaseReply>

export const resourcesReply = (base: string, { version, date, bytes, sha256, source }: Downloadable) => ({
  message: version,
  date,
  size: sizeForPeople(bytes),
  bytes,
  sha256,
  url: source.url ?? `${base}/download/launcher/resources`,
})
export type ResourcesReply = ReturnType<typeof resourcesReply>

export const newsReply = (base: string, item: NewsItem) => ({
  id: item.id,
  title: item.title,
  date: item.date,
  summary: item.summary,
  html: item.html,
  url: newsUrl(base, item),
})
export type NewsReply = ReturnType<typeof newsReply>
