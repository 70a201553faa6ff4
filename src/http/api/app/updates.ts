import Type from 'typebox'
import { InvalidParameter, InvalidVersion, NotPublished, UnknownPath } from '../../../errors/index.ts'
import {
  archNames,
  type ElectronFile,
  electronFiles,
  parseChannel,
  platformNames,
} from '../../../features/releases/index.ts'
import { json, type Reply, success, text } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { get, type Route } from '../../kernel/route.ts'
import { lang, languageHeader } from './language.ts'
import type { ReleasePresenter } from './release-presenter.ts'
import type { BuildOptions, ReleaseReplyCache } from './release-reply-cache.ts'
import { channel, machine, TauriReply, tag, UpdatesReply, versionParameter } from './schemas.ts'

const YAML = 'text/yaml'

export function buildUpdateRoutes(presenter: ReleasePresenter, replies: ReleaseReplyCache): Route[] {
  const getCached = (ctx: RequestContext, build: (options: BuildOptions) => Reply) =>
    replies.get(ctx, { application: 'launcher' }, build)

  const buildElectronReply = (file: ElectronFile, { base, client, language, caching }: BuildOptions): Reply => {
    const update = presenter.electron(base, file, client, language)
    if (!update) throw new NotPublished(`a release that electron-updater can install on ${file.platform}`)
    return text(update, `${YAML}; charset=utf-8`, caching)
  }

  type TauriOptions = Parameters<ReleasePresenter['tauri']>[1]
  const buildTauriReply = (
    options: Omit<TauriOptions, 'client'>,
    { base, client, language, caching }: BuildOptions,
  ): Reply => {
    const update = presenter.tauri(base, { ...options, client }, language)
    if (update) return json(update, caching)
    return { status: 204, headers: ['Cache-Control', caching.cache, ...caching.headers], body: undefined }
  }

  return [
    get(
      '/launcher/updates',
      {
        tag,
        summary: 'Updates of the launcher',
        description:
          'Lists the releases that have a file for the platform. ' +
          'With `format=tauri`, the reply is the JSON of a Tauri update server, or 204 if no newer release has a ' +
          'signed file. With `format=electron`, it is `latest.yml` (for Windows), or 404 if no release has a SHA-512.',
        query: {
          current: versionParameter('Installed version. Only newer releases are listed.'),
          channel,
          ...machine,
          target: Type.Enum(platformNames, { description: 'Another name of `platform`, for Tauri.' }),
          lang,
          format: Type.Enum(['json', 'tauri', 'electron'], { description: 'Format of the reply. Default: json.' }),
        },
        headers: languageHeader,
        reply: Type.Union([UpdatesReply, TauriReply]),
        otherTypes: [YAML],
        otherReplies: { 204: 'No newer release with a signed file. Only with `format=tauri`.' },
        errors: [InvalidVersion, NotPublished],
      },
      (ctx) => {
        const { format, target, ...query } = ctx.query
        const platform = query.platform ?? target
        return getCached(ctx, (options) => {
          if (format === 'tauri') return buildTauriReply({ ...query, platform }, options)
          if (format === 'electron') {
            return buildElectronReply(
              { ...electronFiles.get('latest.yml')!, channel: parseChannel(query.channel) },
              options,
            )
          }
          const { base, client, language, caching } = options
          return success({ ...presenter.updates(base, { ...query, platform, client }, language) }, caching)
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
          'adds the file name; `latest.yml` is for Windows. The reply describes the newest release for the platform: ' +
          'NSIS installers for Windows; zip and dmg files for macOS; AppImage, deb, rpm and pacman files for Linux. ' +
          'Versions that do not have three numbers are skipped.',
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
    get(
      '/launcher/updates/tauri/:target/:arch/:current',
      {
        tag,
        summary: 'Updates of the launcher for Tauri',
        description:
          'Set the endpoint of the updater plugin to ' +
          '`https://<host>/api/v5/<app>/launcher/updates/tauri/{{target}}/{{arch}}/{{current_version}}`. ' +
          'Versions that do not have three numbers are skipped.',
        params: {
          target: Type.Enum(platformNames, { description: '`{{target}}` of Tauri.' }),
          arch: Type.Enum(archNames, { description: '`{{arch}}` of Tauri.' }),
          current: Type.String({ description: '`{{current_version}}` of Tauri.', examples: ['1.9.0'] }),
        },
        query: { channel },
        reply: TauriReply,
        otherReplies: { 204: 'No newer release with a signed file.' },
        errors: [InvalidParameter, InvalidVersion],
      },
      (ctx) => {
        const { target: platform, arch, current } = ctx.params
        const { channel } = ctx.query
        return getCached(ctx, (options) => buildTauriReply({ platform, arch, current, channel }, options))
      },
    ),
  ]
}
