import { stat } from 'node:fs/promises'
import Type from 'typebox'
import {
  FileGone,
  InvalidVersion,
  NotPublished,
  RangeNotSatisfiable,
  UnknownApplication,
} from '../../../errors/index.ts'
import type { Download, Releases } from '../../../features/releases/index.ts'
import { type ByteRange, streamUnchanged } from '../../../platform/files/index.ts'
import type { Counter } from '../../../platform/store/index.ts'
import { buildRangedReply, parseRange, type RangedContent, readRequestedRange } from '../../kernel/ranges.ts'
import { cache, matchesEtag, type Reply } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { get, type Route } from '../../kernel/route.ts'
import { acceptInstallId, identifyClient } from './installation.ts'
import { application, channel, tag, versionParameter } from './schemas.ts'

const RESOURCES = 'resources'
const FILE_TYPE = 'application/octet-stream'
/** A shared cache would hide downloads from the counter and keep serving withdrawn releases. A 304 is cheap. */
const FILE_CACHE = 'private, no-cache'

const description =
  'Counts one download and sends the file, or redirects to it (302). Supports `Range` and `If-None-Match`. ' +
  'HEAD requests, 304 replies and ranges that do not start at byte 0 are not counted.'
const fileErrors = [NotPublished, FileGone, RangeNotSatisfiable]
const errors = [UnknownApplication, InvalidVersion, ...fileErrors]

/**
 * Counts each download once: not HEAD, not 304, and only the first part of a download in several parts. The reply leaves
 * when the count is saved.
 */
export function buildDownloadRoutes(releases: Releases, counter: Counter): Route[] {
  const sendDownload = (name: string, download: Download, ctx: RequestContext): Reply | Promise<Reply> => {
    if (download.kind === 'file') return sendFile(name, download, ctx)
    const range = parseRange(ctx.header('range'), download.bytes)
    const headers = ['Location', download.url, 'Cache-Control', cache.none]
    const reply = { status: 302, headers, length: 0, body: undefined }
    if (range === 'none' || !isFirstPart(range, ctx)) return reply
    return counter.count(name, download.version).then(() => reply)
  }

  const sendFile = async (name: string, download: FileDownload, ctx: RequestContext) => {
    const file = await openFile(download)
    const range = readRequestedRange(file, ctx)
    const ifNoneMatch = ctx.header('if-none-match')
    const isModified = ifNoneMatch === undefined || !matchesEtag(ifNoneMatch, file.etag)
    if (isModified && isFirstPart(range, ctx)) await counter.count(name, download.version)
    return buildRangedReply(file, range, FILE_CACHE, ctx, ['Content-Disposition', formatDisposition(download.name)])
  }

  const spec = {
    tag,
    description,
    otherTypes: [FILE_TYPE],
    otherReplies: { 206: 'The requested range.', 302: 'Redirect to the file.' },
    errors,
    bucket: 'downloads' as const,
  }
  return [
    acceptInstallId(
      get(
        '/download/:application',
        {
          ...spec,
          summary: 'Download an application',
          params: { application },
          query: { version: versionParameter('Version to download. Default: the newest.'), channel },
        },
        (ctx) => {
          const { application: name } = ctx.params
          const options = { ...ctx.query, client: identifyClient(releases, name, ctx) }
          return sendDownload(name, releases.resolveDownload(name, options), ctx)
        },
      ),
    ),
    get(
      '/download/:application/:version/:name',
      {
        ...spec,
        summary: 'Download a version by file name',
        params: { application, version: Type.String(), name: Type.String() },
      },
      (ctx) => {
        const { application: name, version, name: file } = ctx.params
        const download = releases.resolveDownload(name, { version, client: '' })
        // electron-updater also requests files next to it, such as a .blockmap, and must not get the program instead.
        if (file !== download.name) throw new NotPublished('a file of this name')
        return sendDownload(name, download, ctx)
      },
    ),
    get(
      '/download/launcher/resources',
      { ...spec, summary: 'Download the resources of the launcher', errors: fileErrors },
      (ctx) => sendDownload(RESOURCES, releases.resolveResources(), ctx),
    ),
  ]
}

/** Later parts belong to a download that was counted with its first part. */
const isFirstPart = (range: ByteRange | undefined, { isHead }: RequestContext) =>
  !isHead && (range === undefined || range.start === 0)

type FileDownload = Extract<Download, { kind: 'file' }>

/** Checks the file again: if it was removed meanwhile, the client gets an error instead of a broken reply. */
async function openFile({ path, bytes, sha256, date, version }: FileDownload): Promise<RangedContent> {
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile() || found.size !== bytes) throw new FileGone(version)
  return {
    type: FILE_TYPE,
    size: bytes,
    etag: `"${sha256}"`,
    modifiedAt: new Date(date),
    open: (range) => streamUnchanged(path, found, range),
  }
}

/** RFC 8187 requires more escaping than encodeURIComponent does. */
function formatDisposition(name: string): string {
  const percentEncode = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  return `attachment; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, percentEncode)}`
}
