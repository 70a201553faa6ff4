import type { Target } from './asset.ts'
import type { Offer } from './catalogue.ts'
import type { NewsItem } from './release.ts'

/** The formats of the news feed: the values of `?format=`. */
export const feedFormats = ['json-feed', 'atom', 'rss'] as const
export type FeedFormat = (typeof feedFormats)[number]

/** The public URLs that feeds and update formats contain. The HTTP layer knows the paths and provides them. */
export interface ReleaseLinks {
  /** Every download goes through the service, so that it is counted. */
  download(offer: Offer, target: Target): string
  /**
   * A path that ends in the name of the file: electron-updater takes name and type from there, and replaces the query
   * by its own.
   */
  downloadByName(offer: Offer): string
  readonly news: string
  newsFeed(format: FeedFormat): string
  /** A permanent id of one item. */
  newsItemId(item: NewsItem): string
}

/** The page of an item, or its position in the list if it has no page. */
export const newsUrl = (links: ReleaseLinks, item: NewsItem) => item.url ?? links.newsItemId(item)
