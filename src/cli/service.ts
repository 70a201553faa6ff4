// What the operator's commands need of a service. It runs on this machine (local-service.ts) or elsewhere (remote/).
import type { BanJson, ClientJson, TokenJson } from '../features/access/index.ts'
import type { BlocklistInfo } from '../features/blocklist/index.ts'
import type { Content, ListCategory } from '../features/content/index.ts'
import type {
  acceptGroups,
  Changed,
  ChangeInput,
  ChangeName,
  ChangeResult,
  HistoryEntry,
  listHistory,
  Publisher,
  toChangeJson,
} from '../features/publishing/index.ts'
import type { UsageDay } from '../features/usage/index.ts'
import type { Change } from '../platform/files/index.ts'
import type { Problem } from '../platform/logging/index.ts'
import type { ClientState, DownloadRow, Scope } from '../platform/store/index.ts'
import type { CheckedFinding, runChecks } from './doctor/index.ts'
import type { Progress } from './terminal.ts'

export type Catalogue = ReturnType<Content['catalogue']>
export interface BlocklistState {
  readonly lists: readonly BlocklistInfo[]
  /** Where each list is, and where it comes from. */
  readonly origins: readonly { readonly list: string; readonly from?: string | undefined }[]
  readonly problem?: string | undefined
}

/** A change without its lines. */
type HistorySummary = Awaited<ReturnType<typeof listHistory>>[number]
export type HistoryChange = ReturnType<typeof toChangeJson>

/** What a service knows about its content, its blocklists and itself. */
export interface ContentService {
  readBlocklists(): Promise<BlocklistState>
  /** Undefined: the host is not blocked. */
  findBlockingEntry(host: string): Promise<string | undefined>
  /** `source`: a URL or the path of a file. */
  updateBlocklist(
    source: string,
    options: { readonly force: boolean; readonly onProgress: (stage: string) => void },
  ): Promise<{ readonly changed: boolean; readonly entries: number; readonly sha256: string }>

  /** The kinds of random content, and the number of problems. */
  readKinds(onProgress: Progress['show']): Promise<{ readonly kinds: Catalogue; readonly problems: number }>
  checkContent(onProgress: Progress['show']): Promise<{ readonly pictures: number; readonly problems: Problem[] }>
  acceptContent(
    names: readonly string[],
    onProgress: Progress['show'],
  ): Promise<Awaited<ReturnType<typeof acceptGroups>>>
  runDoctor(context: Parameters<typeof runChecks>[1], onProgress: Progress['show']): Promise<CheckedFinding[]>
}

export interface OperatorService
  extends ContentService,
    Pick<Publisher, 'listReleases' | 'listResources' | 'listNews'> {
  readonly isRemote: boolean
  /** One change, as the endpoints make it. */
  apply<Name extends ChangeName>(
    name: Name,
    input: ChangeInput<Name>,
    dryRun: boolean,
  ): Promise<ChangeResult<Name> & Changed>
  readList(category: ListCategory, kind: string): Promise<{ readonly file: string; readonly text: string }>
  /** With `lang`, a translation. */
  readNews(id: string, lang?: string): Promise<Awaited<ReturnType<Publisher['readNews']>>['entry']>
  readPictures(kind: string): Promise<Awaited<ReturnType<Publisher['readPictures']>>['entry']>
  readTier(tier: '2' | '3'): Promise<Awaited<ReturnType<Publisher['readTier']>>['entry']>

  /** Newest first. */
  listHistory(limit: number): Promise<HistorySummary[]>
  findChange(id: number): Promise<HistoryChange>
  undo(
    id: number,
    dryRun: boolean,
  ): Promise<Change & Changed & { readonly entry: Pick<HistoryEntry, 'change' | 'subject'> }>

  addBan(address: string, options: { readonly reason: string; readonly ms: number }): Promise<BanJson>
  listBans(): Promise<BanJson[]>
  liftBan(address: string): Promise<void>

  listClients(state?: ClientState): Promise<ClientJson[]>
  grantClient(id: string): Promise<{ readonly client: ClientJson; readonly key: string }>
  decideClient(id: string, decision: 'refuse' | 'revoke'): Promise<ClientJson>

  createToken(
    label: string,
    scopes: readonly Scope[],
    expiresAt: number | null,
  ): Promise<{ readonly token: TokenJson; readonly secret: string }>
  listTokens(): Promise<TokenJson[]>
  revokeToken(id: string): Promise<void>
  /** Download counts of the last days, including today (UTC). */
  listDownloads(days: number): Promise<DownloadRow[]>
  /** The usage history of the last days, including today (UTC). */
  readUsage(days: number): Promise<UsageDay[]>
}
