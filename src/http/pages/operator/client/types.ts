// The fields of operator replies that the dashboard reads.
export type Column = readonly number[]
export type Columns = Readonly<Record<string, Column>>
export interface Percentiles {
  readonly p50: readonly (number | null)[]
  readonly p95: readonly (number | null)[]
  readonly p99: readonly (number | null)[]
}

export interface Live {
  readonly node: string
  readonly step: number
  readonly at: Column
  readonly seconds: Column
  readonly outcomes: Columns
  readonly filters: Columns
  readonly latency: Percentiles
  readonly cache: Columns
  readonly measures: Columns
}

interface Outcomes {
  readonly requests: number
  readonly served: number
  readonly refused: number
  readonly sourceFailed: number
  readonly failed: number
}

export interface NamedCounts extends Outcomes {
  readonly name: string
}

interface Figures extends Outcomes {
  readonly latency: { readonly p50: number | null; readonly p95: number | null; readonly p99: number | null }
  readonly cache: { readonly hit: number; readonly miss: number; readonly shared: number }
}

export interface Usage extends Figures {
  readonly daily: readonly (Figures & { readonly date: string; readonly filters: Readonly<Record<string, number>> })[]
  readonly endpoints: readonly NamedCounts[]
  readonly kinds: readonly NamedCounts[]
  readonly filters: readonly NamedCounts[]
  readonly referrers: readonly NamedCounts[]
  readonly agents: readonly NamedCounts[]
}

export interface Problem {
  readonly part: string
  readonly message: string
  readonly file?: string
  readonly line?: number
  readonly rule?: string
}

export interface Overview {
  readonly version: { readonly version: string; readonly node: string }
  readonly full: string
  readonly downloads: { readonly total: number } | null
  readonly adoption: readonly AdoptionDay[] | null
  readonly counter: { readonly waiting: number; readonly lost: number }
  readonly pipeline: {
    readonly running: number
    readonly waiting: number
    readonly overdue: number
    readonly caches: Readonly<Record<string, { readonly entries: number; readonly bytes: number }>>
  }
  readonly store: { readonly ok: boolean; readonly driver: string; message: string; latencyMs: number } | null
  readonly blocklists: readonly { readonly entries: number; source: string; modifiedAt: string }[]
  readonly access: 'open' | 'registered'
  readonly isApplicationConfigured: boolean
  readonly problems: readonly Problem[]
  /** Problems that do not change the state of the service. */
  readonly advice: readonly Problem[]
}

export interface AdoptionDay {
  readonly date: string
  readonly checks: number
  readonly installations: number
  readonly versions: Readonly<Record<string, number>>
}

export interface Release {
  readonly version: string
  readonly date: string
  readonly bytes: number
  readonly beta: boolean
  readonly rollout: number
  readonly ramp?: {
    readonly state: 'running' | 'complete' | 'paused' | 'stopped'
    readonly nextStep?: { readonly percent: number; readonly date: string }
    readonly failures?: { readonly failed: number; readonly total: number }
  }
  readonly withdrawn: boolean
}

export interface Content {
  readonly releases: Readonly<Record<string, readonly Release[]>>
  readonly resources: readonly Omit<Release, 'beta' | 'rollout' | 'ramp'>[]
  readonly news: readonly { readonly id: string; title: string; date: string; file: string }[]
  readonly tiers: readonly number[]
}

export interface Download {
  readonly day: string
  readonly application: string
  readonly version: string
  readonly count: number
}

export interface Ban {
  readonly address: string
  readonly reason: string
  readonly by: string
  readonly at: string
  readonly until: string
}

export interface Client {
  readonly id: string
  readonly name: string
  readonly contact: string
  readonly reason: string
  readonly state: 'pending' | 'granted' | 'refused' | 'revoked'
  readonly createdAt: string
  readonly decidedAt: string | null
}

export interface Token {
  readonly id: string
  readonly label: string
  readonly scopes: readonly string[]
  readonly expiresAt: string | null
}
