// The state of the service behind one interface. Times are milliseconds since 1970; days are UTC (2026-12-01). While the
// store is unavailable, every call rejects with StoreUnavailable; its `cause` holds the reason.
import type { Log } from '../logging/index.ts'
import type { Usage } from './counts.ts'

export interface DownloadRow {
  readonly application: string
  readonly version: string
  readonly day: string
  readonly count: number
}

/** Each writer numbers its batches in ascending order. A batch whose number was already applied is ignored. */
export interface DownloadBatch {
  readonly writer: string
  readonly number: number
  readonly rows: readonly DownloadRow[]
}

/** Writers that sent nothing for this long are deleted. A batch that arrived again later would be counted twice. */
export const WRITER_TTL_MS = 90 * 86_400_000

export interface DownloadSummary {
  readonly total: number
  readonly applications: Record<string, { total: number; versions: Record<string, number> }>
  /** The last days in ascending order, including days without downloads. The last entry is today. */
  readonly daily: { date: string; count: number }[]
}

export interface Downloads {
  /** Resolves to false if the batch was not applied because its number is not new. */
  add(batch: DownloadBatch): Promise<boolean>
  summary(days: number): Promise<DownloadSummary>
  /** Sorted by day, application and version. */
  rows(): Promise<DownloadRow[]>
  /** Each writer with the number of its last applied batch. */
  writers(): Promise<{ writer: string; number: number }[]>
}

/** The update checks of one day by version, and an estimate of the installations that sent them. */
export interface AdoptionDay {
  readonly day: string
  readonly installations: number
  readonly versions: Record<string, number>
}

export interface AdoptionBatch extends Pick<DownloadBatch, 'writer' | 'number'>, Pick<AdoptionDay, 'day' | 'versions'> {
  /** The bytes of a HyperLogLog of the installations. It may hold installations that the store already has. */
  readonly sketch?: Uint8Array | undefined
}

/** The newest days that have counts are kept. The current day does not matter, so that a wrong clock deletes nothing. */
export const MAX_ADOPTION_DAYS = 90

export interface Adoption {
  /**
   * The secret for hashing the installations of this day: the same for all nodes, `proposal` for the first one that asks.
   * Undefined if it was deleted, at the end of the day: with another one, installations would be counted twice.
   */
  salt(day: string, proposal: string): Promise<string | undefined>
  /** Like the batches of downloads. */
  add(batch: AdoptionBatch): Promise<boolean>
  /** From this day on, in ascending order, without days that have no checks. */
  days(first: string): Promise<AdoptionDay[]>
  sketch(day: string): Promise<Uint8Array | undefined>
}

export type ClientState = 'pending' | 'granted' | 'refused' | 'revoked'
export interface ClientRecord {
  readonly id: string
  readonly name: string
  readonly contact: string
  readonly reason: string
  readonly state: ClientState
  readonly createdAt: number
  readonly decidedAt: number | null
  /** SHA-256 of the key while the key is granted. */
  readonly keyHash: string | null
}

type Decision = Pick<ClientRecord, 'state' | 'decidedAt' | 'keyHash'>

export interface Clients {
  /** Resolves to false and stores nothing if `maxPending` requests are already waiting for a decision. */
  addRequest(record: ClientRecord, maxPending: number): Promise<boolean>
  /** Resolves to undefined and changes nothing if the client does not exist in one of the states `from`. */
  decide(id: string, from: readonly ClientState[], decision: Decision): Promise<ClientRecord | undefined>
  find(id: string): Promise<ClientRecord | undefined>
  list(): Promise<ClientRecord[]>
  put(records: readonly ClientRecord[]): Promise<void>
  /** Changes with every write, so that a node can skip an unchanged `list`. */
  revision(): Promise<number>
}

export type Scope = 'read' | 'write' | 'publish'

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
  /** Resolves to false if the token does not exist. */
  remove(id: string): Promise<boolean>
  list(): Promise<TokenRecord[]>
  /** Does not change the revision. */
  markUsed(id: string, at: number): Promise<void>
  revision(): Promise<number>
}

export interface Ban {
  /** An IPv4 address, the /64 network of an IPv6 address, or a larger network in CIDR notation. */
  readonly address: string
  readonly reason: string
  /** `BANNED_AUTOMATICALLY` for automatic bans, otherwise the operator. */
  readonly by: string
  readonly at: number
  readonly until: number
}

/** Lifted bans are remembered for this long. A node that was offline for longer reads the complete list. */
export const LIFTED_BAN_TTL_MS = 3_600_000
/** Expired bans are kept for this long, because a clock that was ahead may be set back. */
export const ENDED_BAN_TTL_MS = 100 * 86_400_000

/** The value of `Ban.by` for automatic bans. */
export const BANNED_AUTOMATICALLY = 'automatic'

interface BanChanges {
  /** The value for the next call of `changes`. */
  readonly revision: number
  /** True if `put` is the complete list: the caller drops all other bans. */
  readonly complete: boolean
  readonly put: Ban[]
  readonly lifted: string[]
}

export interface Bans {
  put(bans: readonly Ban[]): Promise<void>
  /** Resolves to false if the address is not banned. */
  lift(address: string): Promise<boolean>
  list(): Promise<Ban[]>
  /** The changes since a revision; 0 returns everything. Cheap enough to poll several times per second. */
  changes(since: number): Promise<BanChanges>
}

export type Strike = { readonly key: string; readonly score: number; readonly expiresAt: number }

export interface Strikes {
  /**
   * Adds points to the unexpired score, sets the expiry, and returns the new score. Adds nothing if the expiry changes by
   * less than `apartMs`: several nodes may report the same event.
   */
  add(key: string, points: number, expiresAt: number, apartMs?: number): Promise<number>
  clear(key: string): Promise<void>
  list(): Promise<Strike[]>
  put(strikes: readonly Strike[]): Promise<void>
}

/** Named values that all nodes share: what was announced, or that a copy into the store has not finished. */
export interface Markers {
  get(name: string): Promise<string | undefined>
  set(name: string, value: string): Promise<void>
  /** Sets the value only if it is still `expected` (undefined: none). Resolves to false if another node was faster. */
  replace(name: string, expected: string | undefined, value: string): Promise<boolean>
  remove(name: string): Promise<void>
}

export interface State {
  readonly downloads: Downloads
  readonly adoption: Adoption
  readonly usage: Usage
  readonly clients: Clients
  readonly tokens: Tokens
  readonly bans: Bans
  readonly strikes: Strikes
  readonly markers: Markers
}

/** A request for a share of a client's rate limit bucket, which all nodes share. */
export interface LeaseRequest {
  readonly client: string
  /** Requests already served; negative if leased requests are returned. Always deducted, even from an empty bucket. */
  readonly spent: number
  /** Requests that wait for this lease. */
  readonly needed: number
  /** Additional requests that the node wants to lease in advance. */
  readonly ahead: number
}

export interface Lease {
  readonly granted: number
  /** Requests left in the bucket after the grant; negative if more was spent than the bucket held. */
  readonly left: number
}

/** Shared rate limit buckets. They use the clock of the store. */
export interface Leases {
  /** Resolves to one lease per request, in the same order. */
  take(
    bucket: { name: string; count: number; seconds: number },
    leaseRequests: readonly LeaseRequest[],
  ): Promise<Lease[]>
}

export interface Health {
  readonly ok: boolean
  readonly driver: Store['driver']
  /** For humans; contains no path, address or secret. */
  readonly message: string
  readonly latencyMs: number
  /** A problem that does not make the store unavailable, for example that the clocks of Redis and this node differ. */
  readonly warning?: string | undefined
  /** What happened to the data within the last hour: the database file had to be repaired, or Redis lost data. */
  readonly incident?: string | undefined
}

export interface Store extends State {
  readonly driver: 'sqlite' | 'redis'
  /** Only present if several nodes can share the store. */
  readonly leases?: Leases
  /** Writes a probe, which detects a full disk or a full memory. Never rejects. */
  health(): Promise<Health>
  /** How often tokens, keys and bans were changed. Only grows. Undefined: Redis notices lost data by other means. */
  countChanges?(): Promise<number>
  clear(markersToSet?: Readonly<Record<string, string>>): Promise<void>
  close(): Promise<void>
}

export type Clock = () => number

export interface DriverOptions {
  readonly log: Log
  readonly clock: Clock
  /**
   * The maximum number of automatic bans, and of strikes: an attack must not fill the store. Above it, the tenth that ends
   * soonest is deleted. One at a time would make all nodes read all bans for each. Bans of operators stay.
   */
  readonly maxAutomaticRecords: number
  /** How long a call waits for the store. Default: 700 for Redis, 3000 for SQLite. */
  readonly replyTimeoutMs?: number | undefined
}
