// Updates and news of the launcher.
import Type from 'typebox'
import { InvalidVersion, NotPublished, UnknownPath } from '../../../errors/index.ts'
import {
  type Channel,
  type FeedFormat,
  feedFormats,
  loadFeedGenerator,
  type Platform,
} from '../../../features/releases/index.ts'
import { negotiate } from '../../kernel/negotiate.ts'
import { json, type Reply, success, text } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { get, type Route } from '../../kernel/route.ts'
import type { ReleasePresenter } from './release-presenter.ts'
import type { BuildOptions, ReleaseReplyCache } from './release-reply-cache.ts'
import { channel, NewsReply, TauriReply, tag, UpdatesReply, versionParameter } from './schemas.ts'

const YAML = 'text/yaml'

interface ElectronFile {
  readonly channel: Channel
  readonly platform: Platform
}

const CHANNELS = { latest: 'stable', beta: 'beta' } as const
const PLATFORMS = { '': 'Windows', '-mac': 'macOS', '-linux': 'Linux', '-linux-arm64': 'Linux' } as const

/** The file names that electron-updater appends to the URL of its generic provider. */
const electronFiles: ReadonlyMap<string, ElectronFile> = new Map(
  Object.entries(CHANNELS).flatMap(([start, channel]) =>
    Object.entries(PLATFORMS).map(([end, platform]) => [`${start}${end}.yml`, { channel, platform }] as const),
  ),
)

const FEED_TYPES: Readonly<Record<string, FeedFormat>> = {
  'application/feed+json': 'json-feed',
  'application/atom+xml': 'atom',
  'application/rss+xml': 'rss',
}
const NEWS_TYPES = ['application/json', ...Object.keys(FEED_TYPES)]
const VARY_BY_ACCEPT = ['Vary', 'Accept']

export function buildUpdateRoutes(presenter: ReleasePresenter, replies: ReleaseReplyCache): Route[] {
  const getCached = (ctx: RequestContext, build: (options: BuildOptions) => Reply) =>
    replies.get(ctx, { application: 'launcher' }, build)

  const buildElectronReply = ({ channel, platform }: Partial<ElectronFile>, options: BuildOptions): Reply => {
    const { base, client, caching } = options
    const update = presenter.electron(base, { channel, client, platform })
    if (!update) throw new NotPublished(`a release that electron-updater can install on ${platform ?? 'Windows'}`)
    return text(update, `${YAML}; charset=utf-8`, caching)
  }

  return [
    get(
      '/launcher/updates',
      {
        tag,
        summary: 'Updates of the launcher',
        description:
          'With `format=tauri`, the reply is the JSON of a Tauri update server, or 204 if no newer release has a ' +
          'signature. With `format=electron`, it is `latest.yml` (for Windows), or 404 if no release has a SHA-512.',
        query: {
          current: versionParameter('Installed version. Only newer releases are listed.'),
          channel,
          format: Type.Enum(['json', 'tauri', 'electron'], { description: 'Format of the reply. Default: json.' }),
        },
        reply: Type.Union([UpdatesReply, TauriReply]),
        otherTypes: [YAML],
        otherReplies: { 204: 'No newer release with a signature. Only with `format=tauri`.' },
        errors: [InvalidVersion, NotPublished],
      },
      (ctx) => {
        const { current, channel, format } = ctx.query
        return getCached(ctx, (options) => {
          const { base, client, caching } = options
          if (format === 'electron') return buildElectronReply({ channel }, options)
          if (format !== 'tauri') return success({ ...presenter.updates(base, { current, channel, client }) }, caching)
          const update = presenter.tauri(base, { current, channel, client })
          if (update) return json(update, caching)
          return { status: 204, headers: ['Cache-Control', caching.cache, ...caching.headers], body: undefined }
        })
      },
    ),
    get(
      '/launcher/updates/:file',
      {
        tag,
        summary: 'Updates of the launcher for electron-updater',
        description:
          'Set `url` of the generic provider to `https://<host>/api/v5/<app>/launcher/updates`. electron-updater ' +
          'adds the file name; `latest.yml` is for Windows. The reply describes the newest release for the platform: a ' +
          'zip or dmg file for macOS; an AppImage, deb, rpm or pacman file for Linux; any file for Windows.',
        params: { file: Type.Enum([...electronFiles.keys()]) },
        otherTypes: [YAML],
        errors: [UnknownPath, NotPublished],
      },
      (ctx) => {
        const file = electronFiles.get(ctx.params.file)
        if (!file) throw new UnknownPath(undefined, [...electronFiles.keys()])
        return getCached(ctx, (options) => buildElectronReply(file, options))
      },
    ),
  ]
}

export function buildNewsRoute(presenter: ReleasePresenter, replies: ReleaseReplyCache): Route {
  const sendFeed = async (ctx: NewsContext, format: FeedFormat): Promise<Reply> => {
    const generateFeed = await loadFeedGenerator()
    return replies.get(ctx, { name: format }, ({ base, caching }) => {
      const feed = presenter.newsFeed(base, format, generateFeed)
      return text(feed.text, feed.type, { ...caching, headers: VARY_BY_ACCEPT })
    })
  }

  return get(
    '/launcher/news',
    {
      tag,
      summary: 'News of the launcher',
      description: 'The reply is JSON, JSON Feed, Atom or RSS.',
      query: {
        format: Type.Enum(['json', ...feedFormats], {
          description: 'Overrides the `Accept` header. If neither is sent, the reply is JSON.',
        }),
      },
      reply: NewsReply,
      otherTypes: Object.keys(FEED_TYPES),
    },
    (ctx) => {
      const format = chooseNewsFormat(ctx)
      if (format !== 'json') return sendFeed(ctx, format)
      return replies.get(ctx, { name: format }, ({ base, caching }) =>
        success({ ...presenter.news(base) }, { ...caching, headers: VARY_BY_ACCEPT }),
      )
    },
  )
}

type NewsContext = RequestContext<unknown, { format: string | undefined }>

function chooseNewsFormat({ query, request }: NewsContext): 'json' | FeedFormat {
  if (query.format !== undefined) return query.format as 'json' | FeedFormat
  return FEED_TYPES[negotiate<string>(request.headers.accept, NEWS_TYPES) ?? ''] ?? 'json'
}
