import { Busy, FileGone, InvalidVersion, NotPublished, UnknownApplication } from '../../../errors/index.ts'
import type { Download, FileDownload, Releases } from '../../../features/releases/index.ts'
import type { DownloadCounter } from '../../../platform/store/index.ts'
import {
  buildRangedReply,
  includesFirstByte,
  parseRanges,
  type RangedContent,
  rangedErrors,
  rangedReplies,
  selectContent,
  waitBeforeRanges,
} from '../../kernel/ranges.ts'
import { createReplyCache, type Reply, redirect } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { get, type Route } from '../../kernel/route.ts'
import { Text } from '../../kernel/schemas.ts'
import { acceptInstallId, identifyInstallation } from './installations.ts'
import { application, channel, machine, tag, versionParameter } from './schemas.ts'

const RESOURCES = 'resources'
const FILE_TYPE = 'application/octet-stream'
/** A shared cache would hide downloads from the counter and keep serving withdrawn releases. A 304 is cheap. */
const FILE_CACHE = 'private, no-cache'
const MAX_REDIRECTS = 1000

const description =
  'Counts one download and sends the file, or redirects to it (302). Supports `Range`, also with several ranges, and the ' +
  'conditions of RFC 9110 (`If-Match`, `If-None-Match`, `If-Modified-Since`, `If-Unmodified-Since`, `If-Range`). HEAD ' +
  'requests, 304 replies and ranges without the first byte are not counted.'
const fileErrors = [NotPublished, FileGone, Busy, ...rangedErrors]
const errors = [UnknownApplication, InvalidVersion, ...fileErrors]

/**
 * Counts each download once: not HEAD, not 304, and only the first part of a download in several parts. The reply is sent
 * when the count is saved.
 */
export function buildDownloadRoutes(releases: Releases, counter: DownloadCounter): Route[] {
  // A redirect has no body and counts as one byte, so `maxBytes` is a number of redirects, too.
  const redirects = createReplyCache({ maxEntries: MAX_REDIRECTS, maxBytes: MAX_REDIRECTS })

  // Most clients request the same few URLs. A file is resolved each time, because its path may change.
  const resolved = new Map<string, Download>()
  let resolvedRevision = -1
  const findRedirect = (url: string): Download | undefined => {
    const revision = releases.revision()
    if (revision !== resolvedRevision || resolved.size > MAX_REDIRECTS) resolved.clear()
    resolvedRevision = revision
    return resolved.get(url)
  }

  const sendDownload = (countedAs: string, download: Download, ctx: RequestContext): Reply | Promise<Reply> => {
    if (download.kind === 'file') return sendFile(countedAs, download, ctx)
    const reply = redirects.get(download.url, () => redirect(download.url))
    if (
      !download.isCounted ||
      ctx.isHead ||
      !includesFirstByte(parseRanges(ctx.header('range'), download.bytes) ?? 'all')
    )
      return reply
    return counter.count(countedAs, download.version).then(() => reply)
  }

  const sendFile = async (countedAs: string, download: FileDownload, ctx: RequestContext) => {
    const { bytes: size, sha256, modifiedAt } = download
    const stream = await releases.openFile(download, ctx)
    const open: RangedContent['open'] = (pieces = [{ start: 0, end: size - 1 }]) => stream(pieces)
    const file = { type: FILE_TYPE, size, etag: `"${sha256}"`, modifiedAt: new Date(modifiedAt), open }
    await waitBeforeRanges(ctx)
    // While the file was verified, the client may have disconnected, or got BUSY.
    ctx.signal.throwIfAborted()
    const selection = selectContent(file, ctx)
    const disposition = ['Content-Disposition', formatDisposition(download.name)]
    const reply = buildRangedReply(file, selection, FILE_CACHE, ctx, disposition)
    // Later parts belong to a download that was counted with its first part.
    if (download.isCounted && !ctx.isHead && includesFirstByte(selection)) {
      ctx.reserveFile(reply.length)
      await counter.count(countedAs, download.version)
    }
    return reply
  }

  const spec = {
    tag,
    description,
    otherTypes: [FILE_TYPE],
    otherReplies: { ...rangedReplies, 302: 'Redirect to the file.' },
    errors,
    bucket: 'downloads' as const,
  }
  return [
    acceptInstallId(
      get('/download/:application', {
        ...spec,
        summary: 'Download an application',
        params: { application },
        query: { version: versionParameter('Version to download. Default: the newest.'), channel, ...machine },
        handle: (ctx) => {
          const { application } = ctx.params
          const client = releases.isStaged(application) ? identifyInstallation(ctx) : ''
          const known = client === '' ? findRedirect(ctx.url) : undefined
          if (known) return sendDownload(application, known, ctx)
          const download = releases.resolveDownload(application, { ...ctx.query, client })
          if (client === '' && download.kind === 'redirect') resolved.set(ctx.url, download)
          return sendDownload(application, download, ctx)
        },
      }),
    ),
    get('/download/:application/:version/:name', {
      ...spec,
      summary: 'Download a version by file name',
      params: {
        application,
        version: versionParameter('Version from the list of releases.'),
        name: Text('Name of a file of the release.', 'launcher-2.1.0.exe'),
      },
      handle: (ctx) => {
        const { application, version, name } = ctx.params
        return sendDownload(application, releases.resolveAsset(application, version, name), ctx)
      },
    }),
    get('/download/launcher/resources', {
      ...spec,
      summary: 'Download the resources of the launcher',
      errors: fileErrors,
      handle: (ctx) => sendDownload(RESOURCES, releases.resolveResources(), ctx),
    }),
  ]
}

/** The name twice: clients that do not know `filename*` get the ASCII form (RFC 6266). */
function formatDisposition(name: string): string {
  const percentEncode = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  const ascii = name.replace(/[^\x20-\x7e]|["%\\]/gu, '_')
  // RFC 8187 requires more escaping than encodeURIComponent does.
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, percentEncode)}`
}
