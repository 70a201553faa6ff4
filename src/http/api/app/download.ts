import { stat } from 'node:fs/promises'
import Type from 'typebox'
import {
  FileGone,
  InvalidVersion,
  NotPublished,
  RangeNotSatisfiable,
  UnknownApplication,
} from '../../../errors/index.ts'
import { applications, type Download, type Releases } from '../../../features/releases/index.ts'
import { type ByteRange, streamUnchanged } from '../../../platform/files/index.ts'
import type { Counter } from '../../../platform/store/index.ts'
import { buildRangedReply, parseRange, type RangedContent, readRequestedRange } from '../../kernel/ranges.ts'
import { cache, matchesEtag, type Reply } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { get, type Route } from '../../kernel/route.ts'
import { clientOf } from './asking.ts'
import { channel, tag, versionParameter } from './schemas.ts'

const RESOURCES = 'resources'
const FILE_TYPE = 'application/octet-stream'
/** What a cache in between hands out is not counted, and what is withdrawn must stop at once; a 304 is cheap. */
const FILE_CACHE = 'private, no-cache'

const description =
  'Counts one download. Where the file is elsewhere the reply is a redirect (302); `Range` is answered with 206, ' +
  '`If-None-Match` with 304. HEAD, 304 and a range that does not start at 0 are not counted.'
const errors = [UnknownApplication, NotPublished, FileGone, InvalidVersion, RangeNotSatisfiable]
const application = Type.Enum([...applications])

/** Downloads are counted once each: not HEAD, not 304, not the later parts of one that is fetched in parts. */
export function downloadRoutes(releases: Releases, counter: Counter): Route[] {
  const answer = (name: string, download: Download, ctx: RequestContext<unknown, unknown>): Reply | Promise<Reply> => {
    if (download.kind === 'file') return fileReply(name, download, ctx)
    const range = parseRange(ctx.header('range'), download.bytes)
    if (range !== 'none' && isBeginning(range, ctx)) counter.count(name, download.version)
    const headers = ['Location', download.url, 'Cache-Control', cache.none]
    return { status: 302, headers, length: 0, body: undefined }
  }

  const fileReply = async (name: string, download: FileDownload, ctx: RequestContext<unknown, unknown>) => {
    const file = await fileOf(download)
    const range = readRequestedRange(file, ctx)
    const known = ctx.header('if-none-match')
    const isNew = known === undefined || !matchesEtag(known, file.etag)
    if (isNew && isBeginning(range, ctx)) counter.count(name, download.version)
    return buildRangedReply(file, range, FILE_CACHE, ctx, ['Content-Disposition', attachment(download.name)])
  }

  const spec = {
    tag,
    description,
    otherTypes: [FILE_TYPE],
    otherReplies: { 206: 'The part that `Range` asks for.', 302: 'The file is elsewhere.' },
    errors,
    bucket: 'downloads' as const,
  }
  return [
    get(
      '/download/:application',
      {
        ...spec,
        summary: 'Downloads an application',
        params: { application },
        query: { version: versionParameter('Another than the newest.'), channel },
      },
      (ctx) => {
        const { application: name } = ctx.params
        const { version, channel: wanted } = ctx.query
        const wish = { version, channel: wanted, client: clientOf(releases, name, ctx) }
        return answer(name, releases.resolveDownload(name, wish), ctx)
      },
    ),
    get(
      '/download/:application/:version/:name',
      {
        ...spec,
        summary: 'Downloads a version, under a path that ends in the name of its file',
        params: { application, version: Type.String(), name: Type.String() },
      },
      (ctx) => {
        const { application: name, version, name: file } = ctx.params
        const download = releases.resolveDownload(name, { version, client: '' })
        // electron-updater also looks for files beside it, such as a .blockmap: it must not take the program for one.
        if (file !== download.name) throw new NotPublished('A file of this name')
        return answer(name, download, ctx)
      },
    ),
    get('/download/launcher/resources', { ...spec, summary: 'Downloads the resources of the launcher' }, (ctx) =>
      answer(RESOURCES, releases.resolveResources(), ctx),
    ),
  ]
}

/** Whether it is the first byte that is asked for: later parts belong to a download that was counted. */
const isBeginning = (range: ByteRange | undefined, { isHead }: RequestContext<unknown, unknown>) =>
  !isHead && (range === undefined || range.start === 0)

type FileDownload = Extract<Download, { kind: 'file' }>

/** Looked at once more: a file that went meanwhile is an error that says so, not a reply that breaks off. */
async function fileOf({ path, bytes, sha256, date, version }: FileDownload): Promise<RangedContent> {
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

/** RFC 8187 wants more characters escaped than encodeURIComponent does. */
function attachment(name: string): string {
  const escaped = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`
  return `attachment; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, escaped)}`
}
