import Type from 'typebox'
import { InvalidParameter } from '../../../errors/index.ts'
import type { FeedFormat, FeedGenerator, Releases } from '../../../features/releases/index.ts'
import { feedFormats, loadFeedGenerator } from '../../../features/releases/index.ts'
import { negotiate, VARY_BY_ACCEPT } from '../../kernel/input.ts'
import { type Reply, success, text } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { get, type Route } from '../../kernel/route.ts'
import { EXAMPLE_BASE } from '../../kernel/schemas.ts'
import type { ReleasePresenter } from './release-presenter.ts'
import type { BuildOptions, ReleaseReplyCache } from './release-reply-cache.ts'
import { lang, languageHeader, NewsReply, tag } from './schemas.ts'

const FEED_TYPES: Readonly<Record<string, FeedFormat>> = {
  'application/feed+json': 'json-feed',
  'application/atom+xml': 'atom',
  'application/rss+xml': 'rss',
}
const NEWS_TYPES = ['application/json', ...Object.keys(FEED_TYPES)]

const news = `${EXAMPLE_BASE}/api/v5/app/launcher/news`
const html = '&lt;p&gt;It starts &lt;strong&gt;twice&lt;/strong&gt; as fast.&lt;/p&gt;'
const FEED_EXAMPLES = {
  'application/feed+json': JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: 'News',
    feed_url: `${news}?format=json-feed`,
    items: [{ id: 'launcher-2-1', title: 'Launcher 2.1', content_html: '<p>It starts twice as fast.</p>' }],
  }),
  'application/atom+xml': `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${news}?format=atom</id>
<title>News</title>
<updated>2026-12-01T09:30:00.000Z</updated>
<entry>
<id>${news}#launcher-2-1</id>
<title>Launcher 2.1</title>
<updated>2026-12-01T09:30:00.000Z</updated>
<content type="html">${html}</content>
</entry>
</feed>
`,
  'application/rss+xml': `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0">
<channel>
<title>News</title>
<link>${news}</link>
<description>News of the launcher</description>
<item>
<title>Launcher 2.1</title>
<guid isPermaLink="false">launcher-2-1</guid>
<pubDate>Tue, 01 Dec 2026 09:30:00 GMT</pubDate>
<description>${html}</description>
</item>
</channel>
</rss>
`,
}

type NewsContext = RequestContext<unknown, { format?: string | undefined; lang?: string | undefined }>

export function buildNewsRoute(releases: Releases, presenter: ReleasePresenter, replies: ReleaseReplyCache): Route {
  const getCached = (ctx: NewsContext, format: string, build: (options: BuildOptions) => Reply) =>
    replies.get(ctx, { cacheKey: format, languages: releases.newsLanguages() }, (options) => {
      const { cache, headers } = options.caching
      return build({ ...options, caching: { cache, headers: [...VARY_BY_ACCEPT, ...headers] } })
    })

  // import() takes as long as a whole request, even if the module is loaded.
  let generateFeed: FeedGenerator | undefined

  const sendFeed = (ctx: NewsContext, format: FeedFormat, generate: FeedGenerator): Reply =>
    getCached(ctx, format, ({ base, language, caching }) => {
      const feed = presenter.newsFeed(base, format, generate, language)
      return text(feed.text, feed.type, caching)
    })

  const loadAndSendFeed = async (ctx: NewsContext, format: FeedFormat): Promise<Reply> => {
    generateFeed = await loadFeedGenerator()
    return sendFeed(ctx, format, generateFeed)
  }

  return get('/launcher/news', {
    tag,
    summary: 'News of the launcher',
    description:
      'The reply is JSON, JSON Feed, Atom or RSS. Each item has the text in the preferred language, or in one with ' +
      'the same primary language (`pt` for `pt-BR`). If there is no such translation, the text is the original.',
    query: {
      format: Type.Enum(['json', ...feedFormats], {
        description: 'Overrides the `Accept` header. If neither is sent, the reply is JSON.',
      }),
      lang,
    },
    headers: languageHeader,
    reply: NewsReply,
    otherTypes: Object.keys(FEED_TYPES),
    textExamples: FEED_EXAMPLES,
    errors: [InvalidParameter],
    handle: (ctx) => {
      const format = chooseNewsFormat(ctx)
      if (format !== 'json') return generateFeed ? sendFeed(ctx, format, generateFeed) : loadAndSendFeed(ctx, format)
      return getCached(ctx, format, ({ base, language, caching }) =>
        success({ ...presenter.news(base, language) }, caching),
      )
    },
  })
}

function chooseNewsFormat({ query, request }: NewsContext): 'json' | FeedFormat {
  if (query.format !== undefined) return query.format as 'json' | FeedFormat
  return FEED_TYPES[negotiate<string>(request.headers.accept, NEWS_TYPES) ?? ''] ?? 'json'
}
