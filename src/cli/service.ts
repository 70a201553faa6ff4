// What the operator's commands need of a service. It runs on this machine (local-service.ts) or elsewhere (remote/).
import type { Client } from '../features/access/index.ts'
import type {
  Changed,
  ChangeInput,
  ChangeName,
  ChangeResult,
  HistoryEntry,
  Publisher,
} from '../features/publishing/index.ts'
import type { Change } from '../platform/files/index.ts'
import type { Ban, ClientState, DownloadRow } from '../platform/store/index.ts'

type PatchText = 'file' | 'line' | 'removed' | 'added'
/** A change without its lines. */
export type HistorySummary = Omit<HistoryEntry, 'files'> & { readonly files: readonly string[] }
export type HistoryChange = Omit<HistoryEntry, 'files'> & {
  readonly files: readonly Pick<HistoryEntry['files'][number], PatchText>[]
}

export interface OperatorService extends Pick<Publisher, 'listReleases' | 'listResources' | 'listNews'> {
  /** One change, as the endpoints make it. */
  apply<Name extends ChangeName>(
    name: Name,
    input: ChangeInput<Name>,
    dryRun: boolean,
  ): Promise<ChangeResult<Name> & Changed>
  readTier(tier: '2' | '3'): Promise<Awaited<ReturnType<Publisher['readTier']>>['entry']>

  /** Newest first. */
  listHistory(limit: number): Promise<HistorySummary[]>
  findChange(id: number): Promise<HistoryChange>
  undo(
    id: number,
    dryRun: boolean,
  ): Promise<Change & Changed & { readonly entry: Pick<HistoryEntry, 'change' | 'subject'> }>

  addBan(address: string, options: { readonly reason: string; readonly ms: number }): Promise<Ban>
  listBans(): Promise<Ban[]>
  liftBan(address: string): Promise<void>

  listClients(state?: ClientState): Promise<Client[]>
  grantClient(id: string): Promise<{ readonly client: Client; readonly key: string }>
  decideClient(id: string, decision: 'refuse' | 'revoke'): Promise<Client>

  /** Download counts of the last days, including today (UTC). */
  listDownloads(days: number): Promise<DownloadRow[]>
}
