import { atom } from './atom.ts'
import type { Feed, FeedOptions } from './feed.ts'
import { jsonFeed } from './json-feed.ts'
import { rss } from './rss.ts'

export { FEED_ENTRIES, type Feed } from './feed.ts'

/** By the values of ?format= */
export const feeds = { 'json-feed': jsonFeed, atom, rss } satisfies Record<string, (options: FeedOptions) => Feed>
export type FeedFormat = keyof typeof feeds
