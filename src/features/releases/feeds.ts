import { generateAtomFeed, generateJsonFeed, generateRssFeed } from 'feedsmith'
import { type FeedFormat, newsUrl, type ReleaseLinks } from './links.ts'
import type { NewsItem } from './release.ts'

/** Feed readers expect recent entries only; the JSON reply contains all news. */
const MAX_FEED_ENTRIES = 50
/** RFC 4287 requires a time of the last change, even in an empty feed. */
const EPOCH = '1970-01-01T00:00:00.000Z'

interface FeedOptions {
  readonly links: ReleaseLinks
  readonly title: string
  /** Newest first. */
  readonly news: readonly NewsItem[]
}

export type FeedGenerator = typeof generateFeed

export function generateFeed(format: FeedFormat, { links, title, news }: FeedOptions): { type: string; text: string } {
  const description = `${title}, newest first`
  const cleanText = format === 'json-feed' ? (text: string) => text : replaceInvalidCharacters
  const items = news.slice(0, MAX_FEED_ENTRIES).map((item) => ({
    id: links.newsItemId(item),
    url: newsUrl(links, item),
    title: cleanText(item.title),
    summary: cleanText(item.summary),
    html: cleanText(item.html),
    date: item.date,
  }))
  const self = links.newsFeed(format)

  switch (format) {
    case 'json-feed': {
      const feed = generateJsonFeed({
        title,
        home_page_url: links.news,
        feed_url: self,
        description,
        items: items.map(({ html, date, ...item }) => ({ ...item, content_html: html, date_published: date })),
      })
      // feedsmith omits an empty `items`, but JSON Feed requires the field.
      return {
        type: 'application/feed+json; charset=utf-8',
        text: JSON.stringify({ ...(items.length === 0 && { items }), ...(feed as object) }),
      }
    }
    case 'atom': {
      const text = generateAtomFeed({
        id: links.news,
        title: { value: title },
        subtitle: { value: description },
        updated: news[0]?.date ?? EPOCH,
        authors: [{ name: title }],
        links: [
          { rel: 'self', type: 'application/atom+xml', href: self },
          { rel: 'alternate', type: 'application/json', href: links.news },
        ],
        entries: items.map((item) => ({
          id: item.id,
          title: { value: item.title },
          published: item.date,
          updated: item.date,
          links: [{ rel: 'alternate', href: item.url }],
          summary: { value: item.summary },
          content: { value: item.html, type: 'html' },
        })),
      })
      return { type: 'application/atom+xml; charset=utf-8', text: replaceCdataByEscapedText(text) }
    }
    case 'rss': {
      const text = generateRssFeed({
        title,
        link: links.news,
        description,
        ...(news[0] && { lastBuildDate: news[0].date }),
        // Validators require a link of the feed to itself.
        atom: { links: [{ rel: 'self', type: 'application/rss+xml', href: self }] },
        items: items.map((item) => ({
          title: item.title,
          link: item.url,
          guid: { value: item.id, isPermaLink: false },
          pubDate: item.date,
          description: item.html,
        })),
      })
      return { type: 'application/rss+xml; charset=utf-8', text: replaceCdataByEscapedText(text) }
    }
  }
}

/** Characters that XML 1.0 cannot contain, even escaped, and unpaired surrogates. feedsmith does not check them. */
const INVALID_CHARACTERS =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

const replaceInvalidCharacters = (text: string) => text.replace(INVALID_CHARACTERS, '\ufffd')

/**
 * feedsmith writes text with markup as indented CDATA sections, whose indentation would become part of a title.
 * Escaped text has no such side effect.
 */
const replaceCdataByEscapedText = (xml: string) =>
  xml.replace(/\s*((?:<!\[CDATA\[[\s\S]*?\]\]>)+)\s*/g, (_, sections: string) =>
    escapeXml(sections.replace(/<!\[CDATA\[([\s\S]*?)\]\]>/g, '$1')),
  )

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
