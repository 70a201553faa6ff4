import { RateLimited } from '../errors.ts'
import { type Budget, callerOf, createLimiter } from '../guard/index.ts'
import type { Exchange } from './exchange.ts'

/** What a request is paid from: cheap replies, filters and downloads each have a budget of their own. */
export type Purse = 'requests' | 'filters' | 'downloads'

export type Budgets = Readonly<Record<Purse, Budget>>

/** Takes one from the caller's budget and says in the headers what is left, or throws. */
export type Limits = (exchange: Exchange, purse: Purse) => void

/** A flood of addresses must not push each other out too soon; an entry is about 100 bytes. */
const MOST_CALLERS = 100_000

/** A purse without a budget is not limited. `onRefused` is told of each request that finds its purse empty. */
export function createLimits(budgets: Partial<Budgets>, onRefused?: (purse: Purse) => void): Limits {
  const purses = new Map(
    Object.entries(budgets).map(([purse, budget]) => {
      const { requests, seconds } = budget
      const limiter = createLimiter(budget, { mostKeys: MOST_CALLERS })
      return [purse, { limiter, ...budget, policy: `"${purse}";q=${requests};w=${seconds}` }] as const
    }),
  )

  return (exchange, purse) => {
    const found = purses.get(purse)
    if (!found) return
    const { limiter, requests, seconds, policy } = found
    const { remaining, retryAfter } = limiter.take(callerOf(exchange.client))
    // As the draft of the IETF has it: what is left, and when there is more.
    const more = retryAfter > 0 ? retryAfter : Math.ceil(seconds / requests)
    exchange.addHeaders('RateLimit-Policy', policy, 'RateLimit', `"${purse}";r=${remaining};t=${more}`)
    if (retryAfter === 0) return
    onRefused?.(purse)
    throw new RateLimited(requests, seconds, retryAfter)
  }
}
