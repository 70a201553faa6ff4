import { RateLimited } from '../../errors/index.ts'
import {
  type Budget,
  callerOf,
  createLimiter,
  createSharedLimiter,
  type Limiter,
  type SharedLimiter,
  type SharedLimits,
  type Taken,
} from '../../features/access/index.ts'
import type { Leases } from '../../platform/store/index.ts'
import type { Exchange } from './request-context.ts'

/** What a request is paid from: cheap replies, filters and downloads each have a budget of their own. */
export type Purse = 'requests' | 'filters' | 'downloads'

export type Budgets = Readonly<Record<Purse, Budget>>

export interface Limits {
  /** Takes one from the caller's budget and says in the headers what is left, or throws. Seldom has to wait. */
  take(exchange: Exchange, purse: Purse): void | Promise<void>
  /** How the sharing with other nodes goes; empty where there are none. */
  status(): Partial<Record<Purse, SharedLimits>>
  close(): void
}

/** A flood of addresses must not push each other out too soon; an entry is about 100 bytes. */
const MOST_CALLERS = 100_000

interface Kept {
  readonly limiter: Limiter | SharedLimiter
  readonly budget: Budget
  /** What the headers of every reply begin with. */
  readonly lines: string
}

export interface LimitOptions {
  /** With them the budgets hold in sum over all nodes. */
  readonly leases?: Leases | undefined
  /** Told of each request that finds its purse empty. */
  readonly onRefused?: (purse: Purse) => void
}

/** A purse without a budget is not limited. */
export function createLimits(budgets: Partial<Budgets>, { leases, onRefused }: LimitOptions = {}): Limits {
  const shared = new Map<Purse, SharedLimiter>()
  const share = (name: Purse, budget: Budget, common: Leases) => {
    const limiter = createSharedLimiter(budget, { name, leases: common, mostKeys: MOST_CALLERS })
    shared.set(name, limiter)
    return limiter
  }
  const purses = new Map<Purse, Kept>()
  for (const [name, budget] of Object.entries(budgets) as [Purse, Budget][]) {
    const limiter = leases ? share(name, budget, leases) : createLimiter(budget, { mostKeys: MOST_CALLERS })
    const { requests, seconds } = budget
    const whole = `RateLimit-Policy: "${name}";q=${requests};w=${seconds}\r\nRateLimit-Limit: ${requests}\r\n`
    purses.set(name, { limiter, budget, lines: `${whole}RateLimit: "${name}";r=` })
  }

  const tell = (exchange: Exchange, purse: Purse, { budget, lines }: Kept, { remaining, retryAfter }: Taken) => {
    const { requests, seconds } = budget
    const more = retryAfter > 0 ? retryAfter : Math.ceil(seconds / requests)
    // What is left, and when there is more: as the draft of the IETF has it now, and in the three headers of its earlier
    // versions, which most clients read. Nothing in it comes from a caller: it need not be checked as `addHeaders` does.
    const left = `${remaining};t=${more}\r\nRateLimit-Remaining: ${remaining}\r\nRateLimit-Reset: ${more}\r\n`
    exchange.headerLines += lines + left
    if (retryAfter === 0) return
    onRefused?.(purse)
    throw new RateLimited(requests, seconds, retryAfter)
  }

  return {
    take(exchange, purse) {
      const kept = purses.get(purse)
      if (!kept) return
      const taken = kept.limiter.take(callerOf(exchange.client))
      if (taken instanceof Promise) return taken.then((later) => tell(exchange, purse, kept, later))
      tell(exchange, purse, kept, taken)
    },
    status: () => Object.fromEntries([...shared].map(([name, limiter]) => [name, limiter.status()])),
    close() {
      for (const limiter of shared.values()) limiter.close()
    },
  }
}
