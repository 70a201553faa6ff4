import Type from 'typebox'
import { InvalidVersion, NotPublished, UnknownPath } from '../../../errors/index.ts'
import type { Channel, Platform } from '../../../features/releases/index.ts'
import { json, type Reply, type ReplyOptions, success, text } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { get, type Route } from '../../kernel/route.ts'
import type { AppReplies } from './app-replies.ts'
import type { Asking } from './asking.ts'
import type { ReplyValues } from './reply-values.ts'
import { channel, TauriReply, tag, UpdatesReply, versionParameter } from './schemas.ts'

const YAML = 'text/yaml'

const format = Type.Enum(['json', 'tauri', 'electron'], {
  description: "As Tauri's updater or as electron-updater expects it.",
})

/** The names that electron-updater appends to the URL of a feed, by channel and platform. */
const platforms = { '': 'Windows', '-mac': 'macOS', '-linux': 'Linux', '-linux-arm64': 'Linux' } as const
const electronFiles: ReadonlyMap<string, Wish> = new Map(
  (
    [
      ['latest', 'stable'],
      ['beta', 'beta'],
    ] as const
  ).flatMap(([start, channel]) =>
    Object.entries(platforms).map(([end, platform]) => [`${start}${end}.yml`, { channel, platform }] as const),
  ),
)

interface Wish {
  readonly current?: string | undefined
  readonly channel?: Channel | undefined
  /** Of electron-updater. */
  readonly platform?: Platform
}

export function updatesRoutes(values: ReplyValues, replies: AppReplies, asking: Asking): Route[] {
  const whole = (ctx: RequestContext<unknown, unknown>, wish: Wish) => ({
    current: wish.current,
    channel: wish.channel,
    client: asking.client('launcher', ctx),
  })
  const cached = (ctx: RequestContext<unknown, unknown>, build: (options: ReplyOptions) => Reply) =>
    replies.get(ctx, { application: 'launcher' }, build)

  const tauri = (ctx: RequestContext<unknown, unknown>, wish: Wish): Reply =>
    cached(ctx, (options) => {
      const update = values.tauri(asking.base(ctx), whole(ctx, wish))
      if (update) return json(update, options)
      const { cache = '', headers = [] } = options
      return { status: 204, headers: ['Cache-Control', cache, ...headers], body: undefined }
    })

  const electron = (ctx: RequestContext<unknown, unknown>, wish: Wish): Reply =>
    cached(ctx, (options) => {
      const { platform = 'Windows' } = wish
      const update = values.electron(asking.base(ctx), { ...whole(ctx, wish), platform })
      if (!update) throw new NotPublished(`A release that Electron could install on ${platform}`)
      return text(update.text, `${YAML}; charset=utf-8`, options)
    })

  return [
    get(
      '/launcher/updates',
      {
        tag,
        summary: 'Updates of the launcher',
        description:
          '`format=tauri` is the record that its updater reads, or 204 where nothing newer is signed; ' +
          '`format=electron` is a `latest.yml`, or 404 where no release has a SHA-512.',
        query: {
          current: versionParameter('The version that the caller has: only newer ones are told.'),
          channel,
          format,
        },
        reply: Type.Union([UpdatesReply, TauriReply]),
        otherTypes: [YAML],
        otherReplies: { 204: 'Nothing newer, in the way of `format=tauri`.' },
        errors: [InvalidVersion, NotPublished],
      },
      (ctx) => {
        const { query } = ctx
        if (query.format === 'tauri') return tauri(ctx, query)
        if (query.format === 'electron') return electron(ctx, query)
        return cached(ctx, (options) => success({ ...values.updates(asking.base(ctx), whole(ctx, query)) }, options))
      },
    ),
    get(
      '/launcher/updates/:file',
      {
        tag,
        summary: 'Updates of the launcher, as electron-updater asks for them',
        description:
          '`/launcher/updates` is the URL of its generic provider; it appends the name of the file. On macOS it is offered ' +
          'the newest release that is a zip or dmg, on Linux an AppImage, deb, rpm or pacman, or 404 where none is.',
        params: { file: Type.Enum([...electronFiles.keys()]) },
        otherTypes: [YAML],
        errors: [UnknownPath, NotPublished],
      },
      (ctx) => {
        const wanted = electronFiles.get(ctx.params.file)
        if (!wanted) throw new UnknownPath(undefined, [...electronFiles.keys()])
        return electron(ctx, wanted)
      },
    ),
  ]
}
