import type { Lease, LeaseRequest, Leases } from '../../platform/store/index.ts'
import type { RateLimit, RateLimiterOptions, RateLimitResult } from './rate-limiter.ts'
import { createGenerationalMap, createRateLimiter } from './rate-limiter.ts'

export type SharedRateLimiter = ReturnType<typeof createSharedRateLimiter>

interface SharedRateLimiterOptions extends RateLimiterOptions {
  readonly name: string
  readonly leases: Leases
  readonly waitMs?: number
  readonly retryMs?: number
}

/** The part of a bucket that one node may lease in advance, and may grant before it reports to the store. */
const NODE_SHARE = 1 / 20
const MAX_ALLOWANCE = 8
/** Leased requests that were not used within this time are returned. */
const LEASE_MS = 1000
/** A store that takes longer counts as unavailable. */
const WAIT_TIMEOUT_MS = 100
const RETRY_INTERVAL_MS = 500
/** Lease requests that no client waits for are collected for this time and sent as one batch. */
const BATCH_INTERVAL_MS = 10
/** Tests an unavailable store with a write, because a store without memory still answers reads. */
const PROBE: LeaseRequest = { client: '', spent: 1, needed: 0, ahead: 0 }

/** The leased requests of one client, and what this node knows about the shared bucket. */
interface Account {
  readonly client: string
  /** Leased and not used; negative: granted from the allowance and not reported yet. */
  held: number
  heldSince: number
  /** Leased, not used, to be returned with the next lease request. */
  returned: number
  /** Content of the shared bucket apart from `held`, at the time `availableAt`. */
  available: number
  availableAt: number
  /** Requests to lease in advance. */
  prefetch: number
  requestedAt: number
  isPending: boolean
  waiters: Waiter[]
}

type Waiter = { account: Account; localResult: RateLimitResult; settle(result: RateLimitResult): void }

/** The requests that a node may grant a client before the store knows of them. */
export const computeAllowance = ({ count }: RateLimit) => Math.min(MAX_ALLOWANCE, Math.floor(count * NODE_SHARE))

const computeDebt = ({ held }: Account) => Math.max(0, -held)
const toLeaseRequest = (account: Account): LeaseRequest => ({
  client: account.client,
  spent: computeDebt(account) - account.returned,
  needed: account.waiters.length,
  ahead: Math.max(0, account.prefetch - Math.max(0, account.held)),
})

/**
 * A rate limit shared by all nodes. A node grants a few requests from its allowance and reports them afterwards, and leases
 * requests in advance for busy clients. Only a client without lease and allowance waits for the store. While the store is
 * slow or unavailable, a local limiter decides.
 */
export function createSharedRateLimiter(limit: RateLimit, options: SharedRateLimiterOptions) {
  const { leases, maxKeys, now = () => performance.now() } = options
  const { waitMs = WAIT_TIMEOUT_MS, retryMs = RETRY_INTERVAL_MS } = options
  const bucket = { name: options.name, ...limit }
  const { count } = limit
  const msPerRequest = (limit.seconds * 1000) / count
  const allowance = computeAllowance(limit)
  const maxPrefetch = Math.floor(count * NODE_SHARE)
  const local = createRateLimiter(limit, options)
  const accounts = createGenerationalMap<Account>(maxKeys, (client) => ({
    client,
    held: 0,
    heldSince: 0,
    returned: 0,
    available: count,
    availableAt: 0,
    prefetch: 0,
    requestedAt: Number.NEGATIVE_INFINITY,
    isPending: false,
    waiters: [],
  }))
  /** Accounts with leased requests, oldest lease first. */
  const leaseHolders = new Set<Account>()
  const waiting = new Set<Waiter>()
  let batch: Account[] = []
  let batchTimer: NodeJS.Timeout | undefined
  let immediate: NodeJS.Immediate | undefined
  let retryTimer: NodeJS.Timeout | undefined
  /** While the store is unavailable, each node applies the limits on its own. */
  let isStoreUnavailable = false
  let isClosed = false
  /** Lease requests sent to the store; client requests that waited for the store, and those decided without it. */
  const counts = { leaseRequests: 0, waited: 0, fallbacks: 0 }

  const computeLeft = ({ available, availableAt, held }: Account, time: number) =>
    Math.min(count, available + (time - availableAt) / msPerRequest) + held

  function markUnavailable(): void {
    isStoreUnavailable = true
    retryTimer ??= setTimeout(probe, retryMs).unref()
    for (const { account, settle, localResult } of waiting) {
      account.waiters = []
      account.held-- // Reported when the store is available again.
      counts.fallbacks++
      settle(localResult)
    }
  }

  async function probe(): Promise<void> {
    const start = now()
    const answers = await leases.take(bucket, [PROBE]).catch(() => undefined)
    isStoreUnavailable = answers === undefined || now() - start > waitMs
    retryTimer = isStoreUnavailable && !isClosed ? setTimeout(probe, retryMs).unref() : undefined
  }

  function requestLease(account: Account, time: number): void {
    if (account.waiters.length > 0) immediate ??= setImmediate(sendBatch)
    if (account.isPending) return
    // A client that needs a lease again soon gets twice as much in advance; others get nothing in advance.
    const isBusy = time - account.requestedAt < LEASE_MS
    account.prefetch = isBusy ? Math.min(Math.max(1, account.prefetch * 2), maxPrefetch) : 0
    account.requestedAt = time
    account.isPending = true
    batch.push(account)
    if (!immediate) batchTimer ??= setTimeout(sendBatch, BATCH_INTERVAL_MS)
  }

  async function sendBatch(): Promise<void> {
    clearTimeout(batchTimer)
    clearImmediate(immediate)
    batchTimer = immediate = undefined
    if (batch.length === 0) return
    const sent = batch.map((account) => ({ account, reported: computeDebt(account), returned: account.returned }))
    const leaseBatch = batch.map(toLeaseRequest)
    for (const account of batch) account.returned = 0
    batch = []
    counts.leaseRequests += leaseBatch.length
    const answers = await leases.take(bucket, leaseBatch).catch(() => undefined)
    if (!answers) markUnavailable()
    sent.forEach(({ account, reported, returned }, index) => {
      const lease = answers?.[index]
      account.isPending = false
      if (lease) receiveLease(account, reported, lease)
      else account.returned += returned
    })
  }

  function receiveLease(account: Account, reported: number, { granted, left }: Lease): void {
    const time = now()
    if (account.held <= 0) leaseHolders.delete(account)
    account.held += reported + granted
    account.available = left
    account.availableAt = time
    account.waiters = account.waiters.filter(({ localResult, settle }) => {
      if (account.held <= 0 && computeLeft(account, time) >= 1) return true
      settle(account.held > 0 ? allow(account, localResult, time) : refuse(account, time))
      return false
    })
    if (account.waiters.length > 0 || account.returned > 0) requestLease(account, time)
    if (account.held > 0 && !leaseHolders.has(account)) {
      account.heldSince = time
      leaseHolders.add(account)
    }
  }

  function allow(account: Account, localResult: RateLimitResult, time: number): RateLimitResult {
    account.held--
    const left = Math.floor(computeLeft(account, time))
    return { remaining: Math.max(0, Math.min(localResult.remaining, left)), retryAfter: 0 }
  }

  function refuse(account: Account, time: number): RateLimitResult {
    local.refund(account.client)
    if (account.held < 0) requestLease(account, time) // The store refills a debt once it knows of it.
    const missingMs = (1 - computeLeft(account, time)) * msPerRequest
    return { remaining: 0, retryAfter: Math.max(1, Math.ceil(missingMs / 1000)) }
  }

  function waitForLease(account: Account, localResult: RateLimitResult, time: number): Promise<RateLimitResult> {
    counts.waited++
    return new Promise((resolve) => {
      const settle = (result: RateLimitResult) => {
        clearTimeout(timer)
        waiting.delete(waiter)
        resolve(result)
      }
      const waiter: Waiter = { account, localResult, settle }
      // One more event loop turn: if this process was busy, the answer may have arrived without having been read.
      const timer = setTimeout(() => setImmediate(() => waiting.has(waiter) && markUnavailable()), waitMs)
      waiting.add(waiter)
      account.waiters.push(waiter)
      requestLease(account, time)
    })
  }

  const returnTimer = setInterval(() => {
    const time = now()
    for (const account of leaseHolders) {
      if (time - account.heldSince < LEASE_MS) break
      leaseHolders.delete(account)
      // The bucket refilled while the lease was held: that part is not returned.
      const unused = Math.max(0, account.held - Math.ceil((time - account.heldSince) / msPerRequest))
      account.held = Math.min(0, account.held)
      if (unused === 0 || isStoreUnavailable) continue
      account.returned += unused
      requestLease(account, time)
    }
  }, LEASE_MS / 4).unref()

  return {
    /** A promise only if this node holds no lease for the client and has to wait for the store. */
    take(key: string, time = now()): RateLimitResult | Promise<RateLimitResult> {
      const localResult = local.take(key, time)
      if (isStoreUnavailable) counts.fallbacks++
      if (isStoreUnavailable || localResult.retryAfter > 0) return localResult
      const account = accounts.getOrCreate(key)
      if (account.held <= 0) {
        if (computeLeft(account, time) < 1) return refuse(account, time)
        const canUseAllowance = computeDebt(account) < allowance && account.waiters.length === 0
        if (!canUseAllowance) return waitForLease(account, localResult, time)
      }
      const result = allow(account, localResult, time)
      if (account.held < 0 || account.held * 2 < account.prefetch) requestLease(account, time)
      return result
    },
    /** Like `charge` of one node's limiter. The other nodes learn of it with the next lease request. */
    charge(key: string, requests: number, time = now()): RateLimitResult {
      if (isStoreUnavailable) return local.charge(key, requests, time)
      const account = accounts.getOrCreate(key)
      const result = computeLeft(account, time) < 0 ? refuse(account, time) : local.charge(key, requests, time)
      if (result.retryAfter > 0) return result
      account.held -= requests
      requestLease(account, time)
      return result
    },
    /** `leases`: clients for which this node holds leased requests. */
    status: () => ({ isStoreUnavailable, leases: leaseHolders.size, ...counts }),
    close() {
      isClosed = true
      clearInterval(returnTimer)
      clearTimeout(batchTimer)
      clearTimeout(retryTimer)
      clearImmediate(immediate)
      for (const { settle, localResult } of waiting) settle(localResult)
    },
  }
}
