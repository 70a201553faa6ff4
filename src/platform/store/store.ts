import type { Leases } from './shared.ts'

// The state of the service behind one small interface. Times are milliseconds since 1970, days are UTC (2026-12-01).
// Every call rejects with StoreUnavailable while the store is away; its `cause` says why, for logs and operators.

export interface DownloadRow {
  readonly application: string
  readonly version: string
  readonly day: string
  readonly count: number
}

/** A writer numbers its batches upward; one that was applied already is not applied again. */
export interface DownloadBatch {
  readonly writer: string
  readonly number: number
  /** Where given, the batch is applied only while this is the writer's last number. */
  readonly after?: number
  readonly rows: readonly DownloadRow[]
}

/** A writer lives as long as its process and the journal that it left. */
export const FORGET_WRITER_MS = 90 * 86_400_000

export interface DownloadSummary {
  readonly total: number
  readonly applications: Record<string, { total: number; versions: Record<string, number> }>
  /** The last days in order, today last, those without a download included. */
  readonly daily: { date: string; count: number }[]
}

export interface Downloads {
  /** False where it was not applied: by its number it had been, or `after` is not the last number. */
  add(batch: DownloadBatch): Promise<boolean>
  /** The number of the last batch that was applied; 0 for an unknown writer. */
  lastNumber(writer: string): Promise<number>
  summary(days: number): Promise<DownloadSummary>
  rows(): Promise<DownloadRow[]>
  writers(): Promise<{ writer: string; number: number }[]>
}

export type ClientState = 'asked' | 'granted' | 'refused' | 'revoked'

export interface ClientRecord {
  readonly id: string
  readonly name: string
  readonly contact: string
  readonly reason: string
  readonly state: ClientState
  readonly createdAt: number
  readonly decidedAt: number | null
  /** SHA-256 of the key, while it is granted. */
  readonly keyHash: string | null
}

export interface Decision {
  readonly state: ClientState
  readonly decidedAt: number
  readonly keyHash: string | null
}

export interface Clients {
  /** False, and nothing kept, where `mostOpen` requests wait already. */
  ask(record: ClientRecord, mostOpen: number): Promise<boolean>
  /** Undefined, and nothing changed, where there is no such client in one of the states `from`. */
  decide(id: string, from: readonly ClientState[], decision: Decision): Promise<ClientRecord | undefined>
  find(id: string): Promise<ClientRecord | undefined>
  list(): Promise<ClientRecord[]>
  put(records: readonly ClientRecord[]): Promise<void>
  /** Another number after every change: cheap to ask before a `list`. */
  revision(): Promise<number>
}

export type Scope = 'read' | 'write'

export interface TokenRecord {
  readonly id: string
  readonly label: string
  /** SHA-256 of the token. */
  readonly hash: string
  readonly scopes: readonly Scope[]
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly lastUsedAt: number | null
}

export interface Tokens {
  put(records: readonly TokenRecord[]): Promise<void>
  /** False where there is no such token. */
  remove(id: string): Promise<boolean>
  list(): Promise<TokenRecord[]>
  /** Changes no revision. */
  used(id: string, at: number): Promise<void>
  revision(): Promise<number>
}

export interface Ban {
  /** An address, or the /64 of one. */
  readonly address: string
  readonly reason: string
  /** `GUARD`, or who decided it. */
  readonly by: string
  readonly at: number
  readonly until: number
}

/** So long a node may be away and still be told of single lifts; after that it is told everything. */
export const KEEP_LIFTED_MS = 3_600_000

/** An ended ban is kept for so long: a clock that had jumped ahead may be set back. */
export const KEEP_ENDED_MS = 86_400_000

/** Who makes bans without being asked. */
export const GUARD = 'guard'

/**
 * So many bans of the guard are kept, and so many strikes: a flood of addresses fills no store. When there are more, those
 * that end soonest go, a tenth at once, because all nodes have to be told. What an operator decided is never dropped.
 */
export const MAX_KEPT = 50_000
export const DROPPED_AT_ONCE = MAX_KEPT / 10

export interface BanChanges {
  /** What to ask with the next time. */
  readonly revision: number
  /** True where `put` is all there is: whatever else the reader knows is gone. */
  readonly complete: boolean
  readonly put: Ban[]
  readonly lifted: string[]
}

export interface Bans {
  put(bans: readonly Ban[]): Promise<void>
  /** False where the address is not banned. */
  lift(address: string): Promise<boolean>
  list(): Promise<Ban[]>
  /** What other nodes did since; 0 asks for everything. Cheap enough to ask several times a second. */
  changes(since: number): Promise<BanChanges>
}

export interface Strike {
  readonly key: string
  readonly score: number
  readonly expiresAt: number
}

export interface Strikes {
  /** Adds to what has not expired, moves the expiry, and tells the new score. */
  add(key: string, points: number, expiresAt: number): Promise<number>
  clear(key: string): Promise<void>
  list(): Promise<Strike[]>
  put(strikes: readonly Strike[]): Promise<void>
}

export interface Health {
  readonly ok: boolean
  readonly driver: Store['driver']
  /** For people; holds no path, address or secret. */
  readonly message: string
  readonly latencyMs: number
}

/** What a store keeps; each part can be added to without the others noticing. */
export interface State {
  readonly downloads: Downloads
  readonly clients: Clients
  readonly tokens: Tokens
  readonly bans: Bans
  readonly strikes: Strikes
}

export interface Store extends State {
  readonly driver: 'sqlite' | 'redis'
  /** Only where several nodes share the store. */
  readonly leases?: Leases
  /** Writes a probe, so that a full disk or memory shows. Never rejects. */
  health(): Promise<Health>
  /** Forgets everything. */
  clear(): Promise<void>
  close(): Promise<void>
}

export type Clock = () => number
