// What nodes share beyond the state: only Redis has it, and all of it may be away.

/** What a node asks of a caller's budget, which all nodes share. */
export interface LeaseAsk {
  readonly caller: string
  /** Requests that were let through already; below zero: leased and not used. Taken whatever is left. */
  readonly spent: number
  /** Requests that wait for this answer. */
  readonly needed: number
  /** What the node would like to hold for the next ones. */
  readonly ahead: number
}

export interface Lease {
  readonly granted: number
  /** Requests that the budget still has beyond what was granted; below zero where more was spent than there was. */
  readonly left: number
}

/** Budgets of callers, by the clock of the store. */
export interface Leases {
  /** All in one go, answered in the same order. */
  take(budget: { name: string; requests: number; seconds: number }, asks: readonly LeaseAsk[]): Promise<Lease[]>
}

/** Pictures that all nodes share: a cache, whose loss costs work and nothing else. Neither call rejects. */
export interface SharedPictures {
  /** Undefined where there is none, or where Redis does not tell in time. */
  get(name: string): Promise<Buffer | undefined>
  /** May leave it out: too large, no room, Redis away. */
  set(name: string, bytes: Buffer, ttlMs: number): Promise<void>
  status(): {
    readonly hits: number
    readonly misses: number
    /** Asked for while Redis was away or slow. */
    readonly late: number
    /** Found, and not what this service wrote there. */
    readonly foreign: number
    readonly kept: number
    readonly leftOut: number
    /** Held in Redis, as far as this node was told. */
    readonly bytes: number
    readonly isAway: boolean
  }
  close(): Promise<void>
}
