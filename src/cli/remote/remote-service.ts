// A service elsewhere: each method is a request to its operator endpoints.
import { basename } from 'node:path'
import type { Client } from '../../features/access/index.ts'
import type { ChangeInput, ChangeName, ChangeResult } from '../../features/publishing/index.ts'
import type { AssetSource } from '../../features/releases/index.ts'
import type { Ban } from '../../platform/store/index.ts'
import type { CommandInput } from '../command.ts'
import type { OperatorService } from '../service.ts'
import { withForceFlag } from '../with-services.ts'
import { type Connection, connect, RefusedRequest, type RequestOptions, type Server } from './connection.ts'
import { uploadFile } from './upload.ts'

const HOUR_MS = 3_600_000
const BANS_PER_PAGE = 10_000
const MAX_HISTORY = 1000

export function createRemoteService(server: Server, progress: CommandInput['progress']): OperatorService {
  let connection: Promise<Connection> | undefined
  const open = () => (connection ??= connect(server))
  const request = async <Reply>(method: string, path: string, options?: RequestOptions): Promise<Reply> => {
    try {
      return await (await open()).request<Reply>(method, path, options)
    } catch (error) {
      if (error instanceof RefusedRequest) error.message = withForceFlag(error.message)
      throw error
    }
  }
  const get = <Reply>(path: string, options?: RequestOptions) => request<Reply>('GET', path, options)
  /** For a reply of which one field is read. */
  const getField = async <Value>(name: string, path: string, options?: RequestOptions) =>
    (await get<Record<string, Value>>(path, options))[name]!

  /** Replaces the path of a file by an upload, and completes what is known about a URL. */
  const sendSource = async (source: AssetSource): Promise<object> => {
    const { file, url, name, onProgress: _, fetch: __, ...fields } = source
    const { formatBytes, stageSource } = await import('../../features/releases/index.ts')
    if (url === undefined && file === undefined) return source
    await open()
    // A dry run computes the digests and copies nothing.
    const { digest } = await stageSource('', '', source, true)
    const { bytes, sha256 } = digest
    if (file === undefined) return { ...fields, url, bytes, sha256 }
    using bar = progress(`Uploading ${basename(file)}`, formatBytes)
    await uploadFile(await open(), { file, sha256, bytes, onProgress: bar.show })
    return { ...fields, bytes: undefined, sha256: undefined, upload: sha256, name: name ?? basename(file) }
  }

  const sendFiles = async (name: ChangeName, input: object): Promise<Record<string, unknown>> => {
    if (name === 'resources publish') return { ...(await sendSource(input)) }
    const { assets } = input as { assets?: readonly AssetSource[] }
    if (!assets) return { ...input }
    const sent: object[] = []
    for (const asset of assets) sent.push(await sendSource(asset))
    return { ...input, assets: sent }
  }

  const change = async <Result>(method: string, path: string, options: RequestOptions) => {
    const { file, diff, history, result } = await request<ChangeReply<Result>>(method, path, options)
    return { ...result, file, diff, history: history ?? undefined, fileVersion: undefined }
  }

  return {
    async apply<Name extends ChangeName>(name: Name, input: ChangeInput<Name>, dryRun: boolean) {
      const { changeEndpoints } = await import('../../http/api/operator/publish.ts')
      const [, method, path] = changeEndpoints.find(([change]) => change === name)!
      const params = await sendFiles(name, input)
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
    readTier: (tier) => getField('tier', '/tiers/:tier', { params: { tier } }),

    listHistory: (limit) => getField('history', '/history', { query: { limit: Math.min(limit, MAX_HISTORY) } }),
    findChange: (id) => getField('change', '/history/:id', { params: { id } }),
    async undo(id, dryRun) {
      const entry = await this.findChange(id)
      return { ...(await change('POST', '/history/:id/undo', { params: { id }, query: { dryRun } })), entry }
    },

    addBan: async (address, { reason, ms }) =>
      parseBan(
        (await request<{ ban: BanReply }>('POST', '/bans', { body: { address, reason, hours: ms / HOUR_MS } })).ban,
      ),
    async listBans() {
      const list: Ban[] = []
      for (;;) {
        const { bans, total } = await get<{ bans: BanReply[]; total: number }>('/bans', {
          query: { limit: BANS_PER_PAGE, offset: list.length },
        })
        list.unshift(...bans.map(parseBan))
        if (bans.length === 0 || list.length >= total) return list
      }
    },
    async liftBan(address) {
      await request('DELETE', '/bans/:address', { params: { address } })
    },

    listClients: async (state) =>
      (await getField<ClientReply[]>('clients', '/clients', { query: { state } })).map(parseClient),
    async grantClient(id) {
      const { client, key } = await request<{ client: ClientReply; key: string }>('POST', '/clients/:id/grant', {
        params: { id },
      })
      return { client: parseClient(client), key }
    },
    decideClient: async (id, decision) =>
      parseClient(
        (await request<{ client: ClientReply }>('POST', `/clients/:id/${decision}`, { params: { id } })).client,
      ),

    listDownloads: (days) => getField('downloads', '/downloads', { query: { days } }),
  }
}

interface ChangeReply<Result> {
  readonly file: string
  readonly diff: string
  readonly history: number | null
  readonly result: Result
}

type BanReply = Omit<Ban, 'at' | 'until'> & { readonly at: string; readonly until: string }
type ClientReply = Omit<Client, 'createdAt' | 'decidedAt'> & {
  readonly createdAt: string
  readonly decidedAt: string | null
}

const parseBan = ({ at, until, ...ban }: BanReply): Ban => ({
  ...ban,
  at: Date.parse(at),
  until: Date.parse(until),
})

const parseClient = ({ createdAt, decidedAt, ...client }: ClientReply): Client => ({
  ...client,
  createdAt: Date.parse(createdAt),
  decidedAt: decidedAt === null ? null : Date.parse(decidedAt),
})
