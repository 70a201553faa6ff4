import { newsUrl } from '../links.ts'
import { description, FEED_ENTRIES, type Feed, type FeedOptions } from './feed.ts'

/** https://www.jsonfeed.org/version/1.1/ */
export const jsonFeed = ({ links, title, news }: FeedOptions): Feed => ({
  type: 'application/feed+json; charset=utf-8',
  text: JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: links.news,
    feed_url: links.newsFeed('json-feed'),
    description: description(title),
    items: news.slice(0, FEED_ENTRIES).map((item) => ({
      id: links.newsItem(item),
      url: newsUrl(links, item),
      title: item.title,
      summary: item.summary,
      content_html: item.html,
      date_published: item.date,
    })),
  }),
})
