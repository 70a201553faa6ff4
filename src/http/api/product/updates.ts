import Type from 'typebox'
import { InvalidParameter, InvalidVersion, NotPublished, UnknownPath } from '../../../errors/index.ts'
import {
  archNames,
  bundleTypes,
  type ElectronFile,
  electronFiles,
  loadAppcastFormatter,
  parseChannel,
  parseVelopackFile,
} from '../../../features/releases/index.ts'
import { cache, json, type Reply, success, text } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { get, type Route } from '../../kernel/route.ts'
import { EXAMPLE_BASE, Text } from '../../kernel/schemas.ts'
import type { ReleasePresenter } from './release-presenter.ts'
import type { BuildOptions, ReleaseReplyCache } from './release-reply-cache.ts'
import * as schemas from './schemas.ts'

const { channel, lang, languageHeader, machine, tag, versionParameter } = schemas

const YAML = 'text/yaml'
const RSS = 'application/rss+xml'
const query = {
  channel,
  manual: Type.Enum(['true', 'false'], {
    description: '`true` if a person asked for updates: staged rollouts are ignored. Default: false.',
  }),
}
const tauriTarget = {
  type: 'string' as const,
  readAs: 'text' as const,
  description:
    '`{{target}}` of Tauri: a platform. A program may set its own target: a platform, an architecture and a bundle ' +
    'type, joined by dashes.',
  examples: ['windows', 'darwin', 'linux-x86_64-appimage'],
}
const bundleType = Type.Enum([...bundleTypes], {
  description:
    '`{{bundle_type}}` of Tauri: how the program was installed. It gets a file of this type. Default: unknown.',
})
const FILE_NAMES = [...electronFiles.keys(), 'releases.win.json', 'releases.osx.json', 'releases.linux.json']

const download = `${EXAMPLE_BASE}/api/v5/app/download/launcher/2.1.0`
const sha512 = 'pKDgd49u3xG0zFqkhXqtGb5nXyMkTAwq0vGQ2m0sQUxwYBoVZQq1hOZNtYIYvRoAdAFEvpvNIHrQ1mWlLKk7kQ=='

const ELECTRON_EXAMPLE = `version: "2.1.0"
files:
  - url: "${download}/launcher-2.1.0.exe"
    sha512: "${sha512}"
    size: 84200000
path: "${download}/launcher-2.1.0.exe"
sha512: "${sha512}"
releaseName: "2.1.0"
releaseNotes: "- Starts twice as fast"
releaseDate: "2026-12-01T09:30:00.000Z"
`

const APPCAST_EXAMPLE = `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:sparkle="http://www.andymatuschak.org/xml-namespaces/sparkle">
<channel>
<title>launcher</title>
<item>
<title>2.1.0</title>
<pubDate>Tue, 01 Dec 2026 09:30:00 +0000</pubDate>
<sparkle:version>2.1.0</sparkle:version>
<sparkle:shortVersionString>2.1.0</sparkle:shortVersionString>
<description>&lt;p&gt;It starts &lt;strong&gt;twice&lt;/strong&gt; as fast.&lt;/p&gt;</description>
<enclosure url="${download}/launcher-2.1.0.exe" length="84200000" type="application/octet-stream" sparkle:os="windows-x64"></enclosure>
</item>
</channel>
</rss>
`

export function buildUpdateRoutes(presenter: ReleasePresenter, replies: ReleaseReplyCache): Route[] {
  const getCached = (ctx: RequestContext, build: (options: BuildOptions) => Reply) =>
    replies.get(ctx, { applications: ['launcher'] }, build)

  const buildElectronReply = (
    file: ElectronFile & { manual?: boolean },
    { base, client, language, caching }: BuildOptions,
  ): Reply => {
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
    get('/launcher/updates', {
      tag,
      summary: 'Updates of the launcher',
      description:
        'Lists the releases that have a file for the platform. ' +
        'With `format=tauri`, the reply is the JSON of a Tauri update server, or 204 if no newer release has a ' +
        'signed file. With `format=electron`, it is always `latest.yml`, the file of electron-updater for Windows, or 404 ' +
        'if no release has a SHA-512.',
      query: {
        ...query,
        current: versionParameter('Installed version. Only newer releases are listed.'),
        ...machine,
        lang,
        target: Type.Unsafe<string>(tauriTarget),
        bundleType,
        format: Type.Enum(['json', 'tauri', 'electron'], { description: 'Format of the reply. Default: json.' }),
      },
      headers: languageHeader,
      reply: Type.Union([schemas.UpdatesReply, schemas.TauriReply]),
      otherTypes: [YAML],
      textExamples: { [YAML]: ELECTRON_EXAMPLE },
      otherReplies: { 204: 'No newer release with a signed file. Only with `format=tauri`.' },
      errors: [InvalidVersion, NotPublished],
      handle: (ctx) => {
        return getCached(ctx, (options) => {
          const { format, target, bundleType, ...query } = ctx.query
          const manual = query.manual === 'true'
          if (format === 'tauri')
            return buildTauriReply({ ...query, target: target ?? query.platform, bundleType, manual }, options)
          if (format === 'electron') {
            return buildElectronReply(
              { ...electronFiles.get('latest.yml')!, channel: parseChannel(query.channel), manual },
              options,
            )
          }
          const { base, client, language, caching } = options
          return success({ ...presenter.updates(base, { ...query, client, manual }, language) }, caching)
        })
      },
    }),
    get('/launcher/updates/:file', {
      tag,
      summary: 'Updates of the launcher for electron-updater and Velopack',
      description:
        'Set the URL of the updater to `https://<host>/api/v5/<app>/launcher/updates`; the updater adds the file name. ' +
        'Versions that do not have three numbers are skipped. ' +
        'electron-updater (`url` of the generic provider): the reply describes the newest release for the platform; ' +
        '`latest.yml` is for Windows. It lists NSIS installers for Windows; zip files for macOS; AppImage, ' +
        'deb, rpm and pacman files for Linux. ' +
        'Velopack (URL of `UpdateManager`): `releases.{channel}.json` lists the full and delta packages. The channel ' +
        'consists of `win`, `osx` or `linux`, an optional `x64`, `arm64` or `x86`, and an optional `stable` or ' +
        '`beta`, joined by dashes. The name of a package redirects to its download.',
      params: { file: Text('Name that the updater requests.', 'latest.yml', 'releases.win.json') },
      query: { localVersion: versionParameter('Installed version. Velopack sends it; it is only counted.') },
      reply: schemas.VelopackReply,
      otherTypes: [YAML],
      textExamples: { [YAML]: ELECTRON_EXAMPLE },
      otherReplies: { 302: 'Redirect to the download of a package.' },
      errors: [UnknownPath, NotPublished],
      handle: (ctx) => {
        return getCached(ctx, (options) => {
          const { file } = ctx.params
          const electronFile = electronFiles.get(file)
          const velopackFile = parseVelopackFile(file)
          if (electronFile) return buildElectronReply(electronFile, options)
          const { base, client, language, caching } = options
          if (velopackFile) return json(presenter.velopack(velopackFile, client, language), caching)
          const url = presenter.packageUrl(base, file)
          if (!url) throw new UnknownPath(undefined, FILE_NAMES)
          return { status: 302, headers: ['Location', url, 'Cache-Control', cache.none], length: 0, body: undefined }
        })
      },
    }),
    get('/launcher/updates/appcast.xml', {
      tag,
      summary: 'Updates of the launcher for Sparkle and WinSparkle',
      description:
        'Lists the newest releases: one dmg, zip, tar or pkg file for macOS that has an EdDSA signature, and one NSIS or ' +
        'msi installer for each architecture of Windows. An update from a version below the minimum of a release is ' +
        'marked as critical.',
      query,
      otherTypes: [RSS],
      textExamples: { [RSS]: APPCAST_EXAMPLE },
      handle: async (ctx) => {
        const format = await loadAppcastFormatter()
        const { channel, manual } = ctx.query
        return getCached(ctx, ({ base, client, language, caching }) =>
          text(
            presenter.appcast(base, format, { channel, client, manual: manual === 'true' }, language),
            `${RSS}; charset=utf-8`,
            caching,
          ),
        )
      },
    }),
    get('/launcher/updates/tauri/:target/:arch/:current', {
      tag,
      summary: 'Updates of the launcher for Tauri',
      description:
        'Set the endpoint of the updater plugin to ' +
        '`https://<host>/api/v5/<app>/launcher/updates/tauri/{{target}}/{{arch}}/{{current_version}}?bundleType={{bundle_type}}`. ' +
        'Versions that do not have three numbers are skipped, and so are files that were signed for another version.',
      params: {
        target: Type.Unsafe<string>(tauriTarget),
        arch: Type.Enum(archNames, { description: '`{{arch}}` of Tauri.' }),
        current: versionParameter('`{{current_version}}` of Tauri.'),
      },
      query: { ...query, bundleType },
      reply: schemas.TauriReply,
      otherReplies: { 204: 'No newer release with a signed file.' },
      errors: [InvalidParameter, InvalidVersion],
      handle: (ctx) => {
        const { channel, bundleType } = ctx.query
        const manual = ctx.query.manual === 'true'
        return getCached(ctx, (options) => buildTauriReply({ ...ctx.params, channel, bundleType, manual }, options))
      },
    }),
  ]
}
