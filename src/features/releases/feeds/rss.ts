import type { NewsItem } from '../read/news.ts'
import { newsPlace, newsUrl } from '../shapes.ts'
import { description, FEED_ENTRIES, type Feed, type FeedOptions, newsList } from './feed.ts'
import { element, emptyElement } from './xml.ts'

/** RSS 2.0, with the link to itself that validators ask for. */
export const rss = ({ base, title, news }: FeedOptions): Feed => ({
  type: 'application/rss+xml; charset=utf-8',
  text: [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">',
    '<channel>',
    element('title', title),
    element('link', newsList(base)),
    element('description', description(title)),
    ...news.slice(0, 1).map(({ date }) => element('lastBuildDate', rfc822(date))),
    emptyElement('atom:link', { rel: 'self', type: 'application/rss+xml', href: `${newsList(base)}?format=rss` }),
    ...news.slice(0, FEED_ENTRIES).map((item) => entry(base, item)),
    '</channel>',
    '</rss>\n',
  ].join('\n'),
})

const entry = (base: string, item: NewsItem) =>
  [
    '<item>',
    element('title', item.title),
    element('link', newsUrl(base, item)),
    element('guid', newsPlace(base, item.id), { isPermaLink: 'false' }),
    element('pubDate', rfc822(item.date)),
    element('description', item.html),
    '</item>',
  ].join('\n')

/** "Tue, 01 Dec 2026 10:00:00 GMT": JavaScript's own UTC format is that of RFC 822. */
const rfc822 = (date: string) => new Date(date).toUTCString()
