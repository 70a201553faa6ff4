import type { ReleaseLinks } from '../links.ts'
import type { NewsItem } from '../read/news.ts'

// What feed readers expect; the whole archive is the JSON reply.
export const FEED_ENTRIES = 50

export interface FeedOptions {
  readonly links: ReleaseLinks
  readonly title: string
  /** Newest first. */
  readonly news: readonly NewsItem[]
}

export interface Feed {
  readonly type: string
  readonly text: string
}

export const description = (title: string) => `${title}, newest first`
