import Type from 'typebox'
import { type FeedFormat, feedFormats, loadFeedGenerator } from '../../../features/releases/index.ts'
import { negotiate } from '../../kernel/negotiate.ts'
import { type Reply, success, text } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { get, type Route } from '../../kernel/route.ts'
import type { AppReplies } from './app-replies.ts'
import type { Asking } from './asking.ts'
import type { ReplyValues } from './reply-values.ts'
import { NewsReply, tag } from './schemas.ts'

const FEED_TYPES: Readonly<Record<string, FeedFormat>> = {
  'application/feed+json': 'json-feed',
  'application/atom+xml': 'atom',
  'application/rss+xml': 'rss',
}

const TYPES = ['application/json', ...Object.keys(FEED_TYPES)]
const VARY = ['Vary', 'Accept']

type Wish = RequestContext<unknown, { format: string | undefined }>

export function newsRoute(values: ReplyValues, replies: AppReplies, { base }: Asking): Route {
  const replyWithFeed = async (ctx: RequestContext<unknown, unknown>, format: FeedFormat): Promise<Reply> => {
    const generateFeed = await loadFeedGenerator()
    return replies.get(ctx, { name: format }, (options) => {
      const feed = values.newsFeed(base(ctx), format, generateFeed)
      return text(feed.text, feed.type, { ...options, headers: VARY })
    })
  }

  return get(
    '/launcher/news',
    {
      tag,
      summary: 'News of the launcher',
      description: 'Also as JSON Feed, Atom and RSS, by `Accept` or `format`.',
      query: {
        format: Type.Enum(['json', ...feedFormats], { description: 'Instead of what `Accept` prefers.' }),
      },
      reply: NewsReply,
      otherTypes: Object.keys(FEED_TYPES),
    },
    (ctx) => {
      const format = formatOf(ctx)
      if (format !== 'json') return replyWithFeed(ctx, format)
      return replies.get(ctx, { name: format }, (options) =>
        success({ ...values.news(base(ctx)) }, { ...options, headers: VARY }),
      )
    },
  )
}

function formatOf({ query, request }: Wish): 'json' | FeedFormat {
  if (query.format !== undefined) return query.format as 'json' | FeedFormat
  return FEED_TYPES[negotiate<string>(request.headers.accept, TYPES) ?? ''] ?? 'json'
}
