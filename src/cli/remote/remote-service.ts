// A remote service: each method is a request to its operator endpoints.
import { createHash, randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { OperatorError } from '../../errors/index.ts'
import type { BanJson, ClientJson, TokenJson } from '../../features/access/index.ts'
import type { AddResult, Credit } from '../../features/content/index.ts'
import type { ChangeInput, ChangeName, ChangeResult } from '../../features/publishing/index.ts'
import type { AssetSource } from '../../features/releases/index.ts'
import type { CommandInput } from '../command.ts'
import type { OperatorService } from '../local-service.ts'
import { toFlagNames } from '../with-services.ts'
import { type Connection, connect, RefusedRequest, type RequestOptions, type Server, uploadFile } from './connection.ts'
import { createRemoteContent } from './remote-content.ts'

const HOUR_MS = 3_600_000
const BANS_PER_PAGE = 10_000
const MAX_PAGES = 100
const MAX_HISTORY = 1000
const PICTURES_PER_CHANGE = 100

type PicturesInput = ChangeInput<'content add'>

export function createRemoteService(server: Server, progress: CommandInput['progress']): OperatorService {
  let connection: Promise<Connection> | undefined
  const open = () => (connection ??= connect(server))
  const request = async <Reply>(method: string, path: string, options?: RequestOptions): Promise<Reply> => {
    try {
      return await (await open()).request<Reply>(method, path, options)
    } catch (error) {
      if (error instanceof RefusedRequest) error.message = toFlagNames(error.message)
      throw error
    }
  }
  const get = <Reply>(path: string, options?: RequestOptions) => request<Reply>('GET', path, options)
  /** Returns one field of the reply. */
  const getField = async <Value>(name: string, path: string, options?: RequestOptions) =>
    (await get<Record<string, Value>>(path, options))[name]!

  /** Replaces the path of a file by an upload, and adds size and digests to a URL. */
  const sendSource = async (source: AssetSource, dryRun: boolean): Promise<object> => {
    const { file, url, name, onProgress: _, fetch: __, ...fields } = source
    const { formatBytes, stageSource } = await import('../../features/releases/index.ts')
    if (url === undefined && file === undefined) return source
    await open()
    // A dry run computes the digests and copies nothing.
    const { digest } = await stageSource('', '', source, true)
    const { bytes, sha256 } = digest
    if (file === undefined) return { ...fields, url, ...digest }
    const upload = { ...fields, upload: sha256, name: name ?? basename(file) }
    if (dryRun) return { ...upload, ...digest, sha256: undefined }
    using bar = progress(`Uploading ${basename(file)}`, formatBytes)
    await uploadFile(await open(), { source: file, sha256, bytes, onProgress: bar.show })
    return { ...upload, bytes: undefined, sha256: undefined }
  }

  const sendFiles = async (name: ChangeName, input: object, dryRun: boolean): Promise<Record<string, unknown>> => {
    if (name === 'resources publish')
      return { ...(await sendSource(input, dryRun)), sha512: undefined, sha1: undefined }
    const { assets } = input as { assets?: readonly AssetSource[] }
    if (!assets) return { ...input }
    const sent: object[] = []
    for (const asset of assets) sent.push(await sendSource(asset, dryRun))
    return { ...input, assets: sent }
  }

  const change = async <Result>(method: string, path: string, options: RequestOptions) => {
    const { file, diff, history, result } = await request<ChangeReply<Result>>(method, path, options)
    return { ...result, file, diff, history: history ?? undefined, fileVersion: undefined }
  }

  /** Pictures are checked here and not sent. Those that `content add` added before have their digest in the name. */
  const checkPictures = async ({ kind, sources = [], fetch, keepDrawings, onProgress, ...fields }: PicturesInput) => {
    const { addPictures } = await import('../../features/content/index.ts')
    const params = { kind }
    const { pictures } = await getField<{ pictures: { file: string }[] }>('pictures', '/pictures/:kind', {
      params,
    }).catch((error) => {
      if (error instanceof RefusedRequest && error.code === 'UNKNOWN_ENTRY') return { pictures: [] }
      throw error
    })
    const digestOf = (file: string) => /-([0-9a-f]{12})\.\w+$/.exec(file)?.[1]
    const known = new Map(pictures.map(({ file }) => [digestOf(file), file]))
    const dir = join(tmpdir(), randomUUID())
    const credits = fields as Credit
    const checked = await addPictures({ dir, kind, sources, fetch, keepDrawings, onProgress, credits, dryRun: true })
    /** A line of the credits has no digest. */
    const isNew = (file: string) => digestOf(file) === undefined || !known.has(digestOf(file))
    const results = checked.results.map((result): AddResult => {
      if (result.outcome !== 'added' || isNew(result.file)) return result
      const reason = `it already exists as ${known.get(digestOf(result.file))}`
      return { source: result.source, outcome: 'skipped', reason }
    })
    const lines = checked.diff.split('\n').filter((line) => isNew(line.replace(/ \(\d+ bytes\)$/, '')))
    const hasAdded = results.some(({ outcome }) => outcome === 'added')
    return {
      file: checked.file,
      diff: hasAdded ? lines.join('\n') : '',
      results,
      replacesDrawings: false,
      history: undefined,
    }
  }

  /** Pictures are read here, sent, and added in batches: each is one change. */
  const addPictures = async ({ kind, sources = [], fetch, onProgress, ...fields }: PicturesInput) => {
    const { findPictures } = await import('../../features/content/index.ts')
    const connection = await open()
    const found = await findPictures(sources, fetch)
    const results: AddResult[] = []
    const changes: AddedPictures[] = []
    for (let start = 0; start < found.length; start += PICTURES_PER_CHANGE) {
      const batch = found.slice(start, start + PICTURES_PER_CHANGE)
      const pictures = new Map<number, { upload: string; name: string }>()
      for (const [index, picture] of batch.entries()) {
        try {
          const bytes = await picture.read()
          const sha256 = createHash('sha256').update(bytes).digest('hex')
          await uploadFile(connection, { source: bytes, sha256, bytes: bytes.length })
          pictures.set(start + index, { upload: sha256, name: picture.name })
        } catch (error) {
          if (error instanceof OperatorError) throw error
          const reason = (error as Error).message
          results[start + index] = { source: picture.source, outcome: 'refused', reason }
        }
        onProgress?.(start + index + 1, found.length)
      }
      if (pictures.size === 0) continue
      const options = { params: { kind }, body: { ...fields, pictures: [...pictures.values()] } }
      const added = await change<AddedPictures>('POST', '/pictures/:kind', options).catch((error): AddedPictures => {
        // No picture of this batch was added. The next batches may still be.
        if (!(error instanceof RefusedRequest) || !Array.isArray(error.details.results)) throw error
        return { diff: '', history: undefined, results: error.details.results, replacesDrawings: false }
      })
      changes.push(added)
      for (const [index, position] of [...pictures.keys()].entries())
        results[position] = { ...added.results[index]!, source: found[position]!.source }
    }
    return {
      file: `animals/${kind}`,
      diff: changes.flatMap(({ diff }) => diff || []).join('\n'),
      results,
      replacesDrawings: changes.some((added) => added.replacesDrawings),
      history: changes.at(-1)?.history,
    }
  }

  const listClients: OperatorService['listClients'] = (state) => getField('clients', '/clients', { query: { state } })

  return {
    isRemote: true,
    ...createRemoteContent(request, open, server.url, listClients),
    async apply<Name extends ChangeName>(name: Name, input: ChangeInput<Name>, dryRun: boolean) {
      if (name === 'content add') return (await (dryRun ? checkPictures : addPictures)(input as PicturesInput)) as never
      const { changeEndpoints } = await import('../../http/api/operator/publish.ts')
      const [, method, path] = changeEndpoints.find(([change]) => change === name)!
      const params = await sendFiles(name, input, dryRun)
      const isInPath = (field: string) => path.split('/').includes(`:${field}`)
      const fields = Object.entries(params).filter(([field, value]) => !isInPath(field) && value !== undefined)
      const body = method === 'PUT' || fields.length > 0 ? Object.fromEntries(fields) : undefined
      return change<ChangeResult<Name>>(method, path, { params, body, query: { dryRun } })
    },
    listReleases: () => getField('releases', '/releases'),
    listResources: () => getField('resources', '/resources'),
    async listNews() {
      const { news, problems } = await get<Awaited<ReturnType<OperatorService['listNews']>>>('/news')
      return { news, problems }
    },
    readList: (category, kind) => getField('list', '/lists/:category/:kind', { params: { category, kind } }),
    readNews: (id, lang) =>
      getField('news', lang ? '/news/:id/translations/:lang' : '/news/:id', { params: { id, lang } }),
    readPictures: (kind) => getField('pictures', '/pictures/:kind', { params: { kind } }),
    readTier: (tier) => getField('tier', '/tiers/:tier', { params: { tier } }),

    listHistory: (limit) => getField('history', '/history', { query: { limit: Math.min(limit, MAX_HISTORY) } }),
    findChange: (id) => getField('change', '/history/:id', { params: { id } }),
    async undo(id, dryRun) {
      const entry = await this.findChange(id)
      return { ...(await change('POST', '/history/:id/undo', { params: { id }, query: { dryRun } })), entry }
    },

    addBan: async (address, { reason, ms }) =>
      (await request<{ ban: BanJson }>('POST', '/bans', { body: { address, reason, hours: ms / HOUR_MS } })).ban,
    async listBans() {
      let list: BanJson[] = []
      for (let pages = 0; pages < MAX_PAGES; pages++) {
        const query = { limit: BANS_PER_PAGE, offset: list.length }
        const { bans, total } = await get<{ bans: BanJson[]; total: number }>('/bans', { query })
        list = [...bans, ...list]
        if (bans.length === 0 || list.length >= total) return list
      }
      throw new OperatorError(`${server.url} lists its bans on too many pages.`)
    },
    async liftBan(address) {
      await request('DELETE', '/bans/:address', { params: { address } })
    },

    listClients,
    async grantClient(id) {
      const path = '/clients/:id/grant'
      const { client, key } = await request<{ client: ClientJson; key: string }>('POST', path, { params: { id } })
      return { client, key }
    },
    decideClient: async (id, decision) =>
      (await request<{ client: ClientJson }>('POST', `/clients/:id/${decision}`, { params: { id } })).client,

    async createToken(label, scopes, expiresAt) {
      const body = { label, scopes, ...(expiresAt !== null && { expiresAt: new Date(expiresAt).toISOString() }) }
      const { token, secret } = await request<{ token: TokenJson; secret: string }>('POST', '/tokens', { body })
      return { token, secret }
    },
    listTokens: () => getField('tokens', '/tokens'),
    async revokeToken(id) {
      await request('DELETE', '/tokens/:id', { params: { id } })
    },

    listDownloads: (days) => getField('downloads', '/downloads', { query: { days } }),
    readUsage: (days) => getField('days', '/usage', { query: { days, format: 'rows' } }),
  }
}

interface AddedPictures {
  readonly diff: string
  readonly history: number | undefined
  readonly results: readonly AddResult[]
  readonly replacesDrawings: boolean
}

interface ChangeReply<Result> {
  readonly file: string
  readonly diff: string
  readonly history: number | null
  readonly result: Result
}
