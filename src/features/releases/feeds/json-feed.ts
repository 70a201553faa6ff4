import { newsPlace, newsUrl } from '../shapes.ts'
import { description, FEED_ENTRIES, type Feed, type FeedOptions, newsList } from './feed.ts'

/** https://www.jsonfeed.org/version/1.1/ */
export const jsonFeed = ({ base, title, news }: FeedOptions): Feed => ({
  type: 'application/feed+json; charset=utf-8',
  text: JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: newsList(base),
    feed_url: `${newsList(base)}?format=json-feed`,
    description: description(title),
    items: news.slice(0, FEED_ENTRIES).map((item) => ({
      id: newsPlace(base, item.id),
      url: newsUrl(base, item),
      title: item.title,
      summary: item.summary,
      content_html: item.html,
      date_published: item.date,
    })),
  }),
})
