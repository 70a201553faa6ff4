import { newsUrl, type ReleaseLinks } from '../links.ts'
import type { NewsItem } from '../read/news.ts'
import { description, FEED_ENTRIES, type Feed, type FeedOptions } from './feed.ts'
import { element, emptyElement } from './xml.ts'

/** RSS 2.0, with the link to itself that validators ask for. */
export const rss = ({ links, title, news }: FeedOptions): Feed => ({
  type: 'application/rss+xml; charset=utf-8',
  text: [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">',
    '<channel>',
    element('title', title),
    element('link', links.news),
    element('description', description(title)),
    ...news.slice(0, 1).map(({ date }) => element('lastBuildDate', rfc822(date))),
    emptyElement('atom:link', { rel: 'self', type: 'application/rss+xml', href: links.newsFeed('rss') }),
    ...news.slice(0, FEED_ENTRIES).map((item) => entry(links, item)),
    '</channel>',
    '</rss>\n',
  ].join('\n'),
})

const entry = (links: ReleaseLinks, item: NewsItem) =>
  [
    '<item>',
    element('title', item.title),
    element('link', newsUrl(links, item)),
    element('guid', links.newsItem(item), { isPermaLink: 'false' }),
    element('pubDate', rfc822(item.date)),
    element('description', item.html),
    '</item>',
  ].join('\n')

/** "Tue, 01 Dec 2026 10:00:00 GMT": JavaScript's own UTC format is that of RFC 822. */
const rfc822 = (date: string) => new Date(date).toUTCString()
