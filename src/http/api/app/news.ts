import Type from 'typebox'
import { InvalidParameter } from '../../../errors/index.ts'
import {
  type FeedFormat,
  type FeedGenerator,
  feedFormats,
  loadFeedGenerator,
  type Releases,
} from '../../../features/releases/index.ts'
import { negotiate } from '../../kernel/negotiate.ts'
import { type Reply, success, text } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { get, type Route } from '../../kernel/route.ts'
import { lang, languageHeader } from './language.ts'
import type { ReleasePresenter } from './release-presenter.ts'
import type { BuildOptions, ReleaseReplyCache } from './release-reply-cache.ts'
import { NewsReply, tag } from './schemas.ts'
import { FEED_EXAMPLES } from './text-examples.ts'

const FEED_TYPES: Readonly<Record<string, FeedFormat>> = {
  'application/feed+json': 'json-feed',
  'application/atom+xml': 'atom',
  'application/rss+xml': 'rss',
}
const NEWS_TYPES = ['application/json', ...Object.keys(FEED_TYPES)]
const VARY_BY_ACCEPT = ['Vary', 'Accept']

type NewsContext = RequestContext<unknown, { format: string | undefined; lang: string | undefined }>

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
