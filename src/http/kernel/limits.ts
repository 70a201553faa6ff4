import type { Config } from '../../config/config.ts'
import { RateLimited } from '../../errors/index.ts'
import {
  createRateLimiter,
  createSharedRateLimiter,
  type RateLimit,
  type RateLimiter,
  type RateLimitResult,
  type SharedLimiterStatus,
  type SharedRateLimiter,
  toClientAddress,
} from '../../features/access/index.ts'
import type { Leases } from '../../platform/store/index.ts'
import type { RequestContext } from './request-context.ts'

/** What a request is paid from: cheap replies, filters and downloads each have a budget of their own. */
export type Bucket = 'requests' | 'filters' | 'downloads'

export type BucketLimits = Readonly<Record<Bucket, RateLimit>>

/** No limits if `RATE_LIMIT` is off. */
export function readBucketLimits(config: Config): Partial<BucketLimits> {
  const { RATE_LIMIT, RATE_LIMIT_FILTERS, RATE_LIMIT_DOWNLOADS } = config
  if (RATE_LIMIT === 'off') return {}
  return {
    requests: RATE_LIMIT,
    ...(RATE_LIMIT_FILTERS !== 'off' && { filters: RATE_LIMIT_FILTERS }),
    ...(RATE_LIMIT_DOWNLOADS !== 'off' && { downloads: RATE_LIMIT_DOWNLOADS }),
  }
}

export interface Limits {
  /** Takes one from the caller's budget and says in the headers what is left, or throws. Seldom has to wait. */
  take(ctx: RequestContext, bucket: Bucket): void | Promise<void>
  /** How the sharing with other nodes goes; empty where there are none. */
  status(): Partial<Record<Bucket, SharedLimiterStatus>>
  close(): void
}

/** A flood of addresses must not push each other out too soon; an entry is about 100 bytes. */
const MAX_CLIENTS = 100_000

interface Kept {
  readonly limiter: RateLimiter | SharedRateLimiter
  readonly budget: RateLimit
  /** What the headers of every reply begin with. */
  readonly lines: string
}

export interface LimitOptions {
  /** With them the budgets hold in sum over all nodes. */
  readonly leases?: Leases | undefined
  /** Told of each request that finds its bucket empty. */
  readonly onRefused?: (bucket: Bucket) => void
}

/** A bucket without a budget is not limited. */
export function createLimits(budgets: Partial<BucketLimits>, { leases, onRefused }: LimitOptions = {}): Limits {
  const shared = new Map<Bucket, SharedRateLimiter>()
  const share = (name: Bucket, budget: RateLimit, common: Leases) => {
    const limiter = createSharedRateLimiter(budget, { name, leases: common, maxKeys: MAX_CLIENTS })
    shared.set(name, limiter)
    return limiter
  }
  const buckets = new Map<Bucket, Kept>()
  for (const [name, budget] of Object.entries(budgets) as [Bucket, RateLimit][]) {
    const limiter = leases ? share(name, budget, leases) : createRateLimiter(budget, { maxKeys: MAX_CLIENTS })
    const { requests, seconds } = budget
    const whole = `RateLimit-Policy: "${name}";q=${requests};w=${seconds}\r\nRateLimit-Limit: ${requests}\r\n`
    buckets.set(name, { limiter, budget, lines: `${whole}RateLimit: "${name}";r=` })
  }

  const tell = (
    ctx: RequestContext,
    bucket: Bucket,
    { budget, lines }: Kept,
    { remaining, retryAfter }: RateLimitResult,
  ) => {
    const { requests, seconds } = budget
    const more = retryAfter > 0 ? retryAfter : Math.ceil(seconds / requests)
    // What is left, and when there is more: as the draft of the IETF has it now, and in the three headers of its earlier
    // versions, which most clients read. Nothing in it comes from a caller: it need not be checked as `addHeaders` does.
    const left = `${remaining};t=${more}\r\nRateLimit-Remaining: ${remaining}\r\nRateLimit-Reset: ${more}\r\n`
    ctx.headerText += lines + left
    if (retryAfter === 0) return
    onRefused?.(bucket)
    throw new RateLimited(requests, seconds, retryAfter)
  }

  return {
    take(ctx, bucket) {
      const kept = buckets.get(bucket)
      if (!kept) return
      const taken = kept.limiter.take(toClientAddress(ctx.client))
      if (taken instanceof Promise) return taken.then((later) => tell(ctx, bucket, kept, later))
      tell(ctx, bucket, kept, taken)
    },
    status: () => Object.fromEntries([...shared].map(([name, limiter]) => [name, limiter.status()])),
    close() {
      for (const limiter of shared.values()) limiter.close()
    },
  }
}
