import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import Type from 'typebox'
import { FileGone, InvalidVersion, NotPublished, RangeNotSatisfiable, UnknownApplication } from '../../errors.ts'
import { applications, type Download, type Releases } from '../../releases/index.ts'
import type { Counter } from '../../store/index.ts'
import type { Exchange } from '../exchange.ts'
import { type Ranged, rangedReply, wantedRange } from '../ranged.ts'
import { cache, matchesEtag, type Reply } from '../replies.ts'
import { get, type Route } from '../route.ts'
import { clientOf } from './access.ts'
import { channel, tag } from './routes.ts'

const RESOURCES = 'resources'
const FILE_TYPE = 'application/octet-stream'
/** The file of a version never changes, but may be withdrawn. */
const FILE_CACHE = 'public, max-age=300'

const version = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'Another than the newest.',
  examples: ['2.1.0'],
})
const errors = [UnknownApplication, NotPublished, FileGone, InvalidVersion, RangeNotSatisfiable]
const application = Type.Enum([...applications])

/** Downloads are counted once each: not HEAD, not 304, not the later parts of one that is fetched in parts. */
export function downloadRoutes(releases: Releases, counter: Counter): Route[] {
  const answer = async (name: string, download: Download, exchange: Exchange<unknown, unknown>): Promise<Reply> => {
    const count = () => exchange.isHead || counter.count(name, download.version)
    if (download.kind === 'redirect') {
      count()
      return { status: 302, headers: ['Location', download.url, 'Cache-Control', cache.none], body: undefined }
    }
    const file = await fileOf(download)
    const range = wantedRange(file, exchange)
    const known = exchange.header('if-none-match')
    const unchanged = known !== undefined && matchesEtag(known, file.etag)
    if (!unchanged && (range === undefined || range.start === 0)) count()
    const disposition = `attachment; filename*=UTF-8''${encodeURIComponent(basename(download.name))}`
    return rangedReply(file, range, FILE_CACHE, exchange, ['Content-Disposition', disposition])
  }

  const spec = { tag, otherTypes: [FILE_TYPE], errors }
  return [
    get(
      '/download/:application',
      { ...spec, summary: 'Downloads an application', params: { application }, query: { version, channel } },
      (exchange) => {
        const { application: name } = exchange.params
        return answer(name, releases.resolveDownload(name, { ...exchange.query, client: clientOf(exchange) }), exchange)
      },
    ),
    get(
      '/download/:application/:version/:name',
      {
        ...spec,
        summary: 'Downloads a version, under a path that ends in the name of its file',
        params: { application, version: Type.String(), name: Type.String() },
      },
      (exchange) => {
        const { application: name, version: wanted } = exchange.params
        return answer(name, releases.resolveDownload(name, { version: wanted, client: clientOf(exchange) }), exchange)
      },
    ),
    get('/download/launcher/resources', { ...spec, summary: 'Downloads the resources of the launcher' }, (exchange) =>
      answer(RESOURCES, releases.resolveResources(), exchange),
    ),
  ]
}

/** Looked at once more: a file that went meanwhile is an error that says so, not a reply that breaks off. */
async function fileOf({
  path,
  bytes,
  sha256,
  date,
  version: published,
}: Extract<Download, { kind: 'file' }>): Promise<Ranged> {
  const found = await stat(path).catch(() => undefined)
  if (found?.size !== bytes) throw new FileGone(published)
  return {
    type: FILE_TYPE,
    size: bytes,
    etag: `"${sha256}"`,
    modifiedAt: new Date(date),
    open: (range) => createReadStream(path, range ?? {}),
  }
}
