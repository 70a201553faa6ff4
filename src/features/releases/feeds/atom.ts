import { newsUrl, type ReleaseLinks } from '../links.ts'
import type { NewsItem } from '../read/news.ts'
import { description, FEED_ENTRIES, type Feed, type FeedOptions } from './feed.ts'
import { element, emptyElement } from './xml.ts'

// RFC 4287 wants a time of the last change, also of a feed in which nothing has happened yet.
const NOTHING_YET = '1970-01-01T00:00:00.000Z'

/** RFC 4287 */
export const atom = ({ links, title, news }: FeedOptions): Feed => ({
  type: 'application/atom+xml; charset=utf-8',
  text: [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    element('id', links.news),
    element('title', title),
    element('subtitle', description(title)),
    element('updated', news[0]?.date ?? NOTHING_YET),
    `<author>${element('name', title)}</author>`,
    emptyElement('link', { rel: 'self', type: 'application/atom+xml', href: links.newsFeed('atom') }),
    emptyElement('link', { rel: 'alternate', type: 'application/json', href: links.news }),
    ...news.slice(0, FEED_ENTRIES).map((item) => entry(links, item)),
    '</feed>\n',
  ].join('\n'),
})

const entry = (links: ReleaseLinks, item: NewsItem) =>
  [
    '<entry>',
    element('id', links.newsItem(item)),
    element('title', item.title),
    element('published', item.date),
    element('updated', item.date),
    emptyElement('link', { rel: 'alternate', href: newsUrl(links, item) }),
    element('summary', item.summary),
    element('content', item.html, { type: 'html' }),
    '</entry>',
  ].join('\n')
