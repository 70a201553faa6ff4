import type { NewsItem } from '../read/news.ts'

// What feed readers expect; the whole archive is the JSON reply.
export const FEED_ENTRIES = 50

export interface FeedOptions {
  readonly base: string
  readonly title: string
  /** Newest first. */
  readonly news: readonly NewsItem[]
}

export interface Feed {
  readonly type: string
  readonly text: string
}

export const newsList = (base: string) => `${base}/launcher/news`
export const description = (title: string) => `${title}, newest first`
