import { createHash } from 'node:crypto'
import { generateAtomFeed, generateJsonFeed, generateRssFeed } from 'feedsmith'
import type { FeedFormat, NewsText } from './news.ts'

/** RFC 4287 requires a time of the last change, even in an empty feed. */
const EPOCH = '1970-01-01T00:00:00.000Z'
/** The namespace of the ids, chosen at random once. Another one would make all news unread in all feed readers. */
const ID_NAMESPACE = Buffer.from('633d3d1f7c5b4edcbed3bf528384d4fe', 'hex')

interface FeedOptions {
  readonly title: string
  /** Ids depend on it and on the ids of the news, not on any URL. */
  readonly appName: string
  readonly newsUrl: string
  readonly feedUrl: string
  /** Newest first. With absolute URLs. */
  readonly news: readonly (Omit<NewsText, 'file' | 'url' | 'image'> & { url: string; image: string | null })[]
}

export type FeedGenerator = typeof generateFeed

export function generateFeed(format: FeedFormat, options: FeedOptions): { type: string; text: string } {
  const { title, appName, newsUrl, feedUrl, news } = options
  const description = `${title}, newest first`
  const cleanText = format === 'json-feed' ? (text: string) => text : replaceInvalidCharacters
  const items = news.map((item) => ({
    ...item,
    id: createUrn(`${appName}/news/${item.id}`),
    title: cleanText(item.title),
    summary: cleanText(item.summary),
    html: cleanText(item.html),
  }))
  const [language, ...otherLanguages] = new Set(items.map(({ lang }) => lang))
  const feedLanguage = otherLanguages.length === 0 ? language : undefined

  switch (format) {
    case 'json-feed': {
      const feed = generateJsonFeed({
        title,
        home_page_url: newsUrl,
        feed_url: feedUrl,
        description,
        ...(feedLanguage && { language: feedLanguage }),
        items: items.map(({ html, date, lang, image, ...item }) => ({
          ...item,
          content_html: html,
          date_published: date,
          language: lang,
          ...(image && { image }),
        })),
      })
      // feedsmith omits an empty `items`, but JSON Feed requires the field.
      return {
        type: 'application/feed+json; charset=utf-8',
        text: JSON.stringify({ ...(items.length === 0 && { items }), ...(feed as object) }),
      }
    }
    case 'atom': {
      const text = generateAtomFeed({
        id: createUrn(`${appName}/news`),
        title: { value: title },
        subtitle: { value: description },
        updated: news[0]?.date ?? EPOCH,
        authors: [{ name: title }],
        ...(feedLanguage && { xml: { lang: feedLanguage } }),
        links: [
          { rel: 'self', type: 'application/atom+xml', href: feedUrl },
          { rel: 'alternate', type: 'application/json', href: newsUrl },
        ],
        entries: items.map((item) => ({
          id: item.id,
          title: { value: item.title },
          published: item.date,
          updated: item.date,
          links: [{ rel: 'alternate', href: item.url }],
          summary: { value: item.summary },
          content: { value: item.html, type: 'html' },
          xml: { lang: item.lang },
          ...describeImage(item),
        })),
      })
      return { type: 'application/atom+xml; charset=utf-8', text: replaceCdataByEscapedText(text) }
    }
    case 'rss': {
      const text = generateRssFeed({
        title,
        link: newsUrl,
        description,
        ...(feedLanguage && { language: feedLanguage }),
        ...(news[0] && { lastBuildDate: news[0].date }),
        // Validators require a link of the feed to itself.
        atom: { links: [{ rel: 'self', type: 'application/rss+xml', href: feedUrl }] },
        items: items.map((item) => ({
          title: item.title,
          link: item.url,
          guid: { value: item.id, isPermaLink: false },
          pubDate: item.date,
          description: item.html,
          ...describeImage(item),
        })),
      })
      return { type: 'application/rss+xml; charset=utf-8', text: replaceCdataByEscapedText(text) }
    }
  }
}

/** A name-based UUID (RFC 9562, version 5), which is the same on every host and node. */
function createUrn(name: string): string {
  const bytes = createHash('sha1').update(ID_NAMESPACE).update(name).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x50
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const uuid = bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  return `urn:uuid:${uuid}`
}

/** Media RSS, which Atom readers know too. An enclosure would require size and type of the file. */
const describeImage = ({ image }: { image: string | null }) => image && { media: { thumbnails: [{ url: image }] } }

/** Characters that XML 1.0 cannot contain, even escaped, and unpaired surrogates. feedsmith does not check them. */
const INVALID_CHARACTERS =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

const replaceInvalidCharacters = (text: string) => text.replace(INVALID_CHARACTERS, '\ufffd')

/**
 * feedsmith writes text with markup as indented CDATA sections, whose indentation would become part of a title. Escaped
 * text has no such side effect.
 */
const replaceCdataByEscapedText = (xml: string) =>
  xml.replace(/\s*((?:<!\[CDATA\[[\s\S]*?\]\]>)+)\s*/g, (_, sections: string) =>
    escapeXml(sections.replace(/<!\[CDATA\[([\s\S]*?)\]\]>/g, '$1')),
  )

export const escapeXml = (text: string) =>
  replaceInvalidCharacters(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
