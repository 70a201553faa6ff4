// What the operator's commands need of a service. It runs on this machine (local-service.ts) or elsewhere (remote/).
import type { Client } from '../features/access/index.ts'
import type {
  Changed,
  ChangeInput,
  ChangeName,
  ChangeResult,
  HistoryEntry,
  listHistory,
  Publisher,
  shapeChange,
} from '../features/publishing/index.ts'
import type { Change } from '../platform/files/index.ts'
import type { Ban, ClientState, DownloadRow } from '../platform/store/index.ts'

/** A change without its lines. */
export type HistorySummary = Awaited<ReturnType<typeof listHistory>>[number]
export type HistoryChange = ReturnType<typeof shapeChange>

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
