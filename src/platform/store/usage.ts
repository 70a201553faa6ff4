// The usage history in the store.
import type { DownloadBatch } from './store.ts'

/** What became of a request: the columns of the usage history, in the order of `UsageCounts`. */
export const usageOutcomes = ['served', 'refused', 'sourceFailed', 'failed'] as const
export type UsageOutcome = (typeof usageOutcomes)[number]
/** Requests by outcome, in the order of `usageOutcomes`. */
export type UsageCounts = readonly [served: number, refused: number, sourceFailed: number, failed: number]

export interface UsageRow {
  /** What is counted: "endpoint", "kind", "referrer" … */
  readonly dimension: string
  readonly name: string
  readonly counts: UsageCounts
}

export interface UsageBatch extends Pick<DownloadBatch, 'writer' | 'number'> {
  readonly day: string
  /** At most one per dimension and name. */
  readonly rows: readonly UsageRow[]
}

/** Older days are deleted, as those of the adoption. */
export const MAX_USAGE_DAYS = 400
/** Names per day and dimension. Clients choose some of the names, and must not fill the store. */
export const MAX_USAGE_NAMES = 200
/** Counts all names above MAX_USAGE_NAMES. */
export const OTHER_USAGE = 'others'

/** Requests by day. All nodes add to the same counts. */
export interface Usage {
  /** Like the batches of downloads. */
  add(batch: UsageBatch): Promise<boolean>
  /** The days that have counts, in ascending order. */
  days(): Promise<string[]>
  /** Sorted by dimension and name. */
  rows(day: string): Promise<UsageRow[]>
}
