// The limits of clients: their rate, and the number of their connections.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Config } from '../../config/config.ts'
import { RateLimited } from '../../errors/index.ts'
import type { RateLimit, RateLimitResult, SharedRateLimiter } from '../../features/access/index.ts'
import { createRateLimiter, createSharedRateLimiter } from '../../features/access/index.ts'
import { createAddressMatcher, listNetworks, unwrapIpv4 } from '../../platform/net/index.ts'
import type { Leases } from '../../platform/store/index.ts'
import type { RequestContext } from './request-context.ts'

/** Cheap replies, filters and downloads have separate limits. */
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

/** The limits of an IPv6 /56 and of a /48, as multiples of the limit of one client. Tunnel brokers give a /48 for free. */
const NETWORK_FACTORS = [4, 16]

interface LimitOptions {
  /** Clients that each limit knows: enough that a flood of addresses does not evict others too soon. */
  readonly maxKeys?: number
  /** With leases the limits apply to all nodes together. */
  readonly leases?: Leases | undefined
  /** Called for each request that finds its bucket empty. */
  readonly onRefused?: (bucket: Bucket) => void
}

export type Limits = ReturnType<typeof createLimits>

/** A bucket that `limits` does not contain is unlimited. */
export function createLimits(limits: Partial<BucketLimits>, { leases, onRefused, maxKeys = 1e5 }: LimitOptions = {}) {
  const sharedLimiters = new Map<Bucket, SharedRateLimiter>()

  const createLimiter = (name: Bucket, limit: RateLimit) => {
    if (!leases) return createRateLimiter(limit, { maxKeys })
    const limiter = createSharedRateLimiter(limit, { name, leases, maxKeys })
    sharedLimiters.set(name, limiter)
    return limiter
  }

  const createBucket = (name: Bucket, { count, seconds }: RateLimit) => {
    const limiter = createLimiter(name, { count, seconds })
    // In this process only: two more calls of Redis per request would cost more than they are worth.
    const networkLimiters = NETWORK_FACTORS.map((factor) =>
      createRateLimiter({ count: factor * count, seconds }, { maxKeys }),
    )
    const policy = `RateLimit-Policy: "${name}";q=${count};w=${seconds}\r\nRateLimit-Limit: ${count}\r\n`
    const rejectIf = (retryAfter: number): void => {
      if (retryAfter === 0) return
      onRefused?.(name)
      throw new RateLimited(count, seconds, retryAfter)
    }

    // The current IETF draft, and the three headers of its earlier versions, which most clients read. No part comes
    // from a client, so the text needs no check as in `addHeaders`.
    const apply = (ctx: RequestContext, { remaining, retryAfter }: RateLimitResult) => {
      const reset = retryAfter > 0 ? retryAfter : Math.ceil(seconds / count)
      const current = `RateLimit: "${name}";r=${remaining};t=${reset}\r\n`
      ctx.headerText += `${policy}${current}RateLimit-Remaining: ${remaining}\r\nRateLimit-Reset: ${reset}\r\n`
      rejectIf(retryAfter)
    }

    const isIpv6 = ({ clientAddress }: RequestContext) => clientAddress.endsWith('/64')
    const listWider = (ctx: RequestContext) => (isIpv6(ctx) ? listNetworks(ctx.client).slice(0, -1).reverse() : [])

    /** Counts only requests within the limits of client and smaller network: a flood must not block neighbours. */
    const takeFromNetworks = (ctx: RequestContext): RateLimitResult | undefined => {
      for (const [i, network] of listWider(ctx).entries()) {
        const result = networkLimiters[i]!.take(network, ctx.startedAt)
        if (result.retryAfter > 0) return result
      }
      return undefined
    }

    const applyBoth = (ctx: RequestContext, result: RateLimitResult) =>
      apply(ctx, (result.retryAfter === 0 && isIpv6(ctx) && takeFromNetworks(ctx)) || result)

    return {
      take(ctx: RequestContext): void | Promise<void> {
        const result = limiter.take(ctx.clientAddress, ctx.startedAt)
        if (result instanceof Promise) return result.then((later) => applyBoth(ctx, later))
        applyBoth(ctx, result)
      },
      charge(ctx: RequestContext, requests: number): void {
        rejectIf(limiter.charge(ctx.clientAddress, requests).retryAfter)
        for (const [i, network] of listWider(ctx).entries())
          rejectIf(networkLimiters[i]!.charge(network, requests).retryAfter)
      },
    }
  }

  const buckets = new Map<string, ReturnType<typeof createBucket>>(
    (Object.entries(limits) as [Bucket, RateLimit][]).map(([name, limit]) => [name, createBucket(name, limit)]),
  )

  return {
    /** Takes one request from the client's bucket and adds the RateLimit headers; throws RateLimited if it is empty. */
    take: (ctx: RequestContext, bucket: Bucket | 'none') => buckets.get(bucket)?.take(ctx),
    /** Takes more requests from the bucket, for a reply that costs as much as several. Throws if it is overdrawn. */
    charge: (ctx: RequestContext, requests: number) =>
      buckets.get(ctx.match?.route.bucket ?? 'requests')?.charge(ctx, requests),
    /** The state of the limits that nodes share; empty for a single node. */
    status: () => Object.fromEntries([...sharedLimiters].map(([name, limiter]) => [name, limiter.status()])),
    close() {
      for (const limiter of sharedLimiters.values()) limiter.close()
    },
  }
}

interface ConnectionLimit {
  /** Open connections per address; 0: no limit. */
  readonly perAddress: number
  /** Open connections of all addresses together. */
  readonly total: number
  /** Addresses of proxies: many clients share their connections. */
  readonly exempt: readonly string[]
  /** Whether a request on the connection waits for its reply, or the client has not read a reply yet. */
  readonly isPending: (socket: Socket) => boolean
}

/** For a client (IPv6: its /64), a /56 and a /48: a home may have a /56, and must not use up the /48 of its provider. */
const CONNECTION_FACTORS = [1, 2, 4]

/** While one client has MANY_CONNECTIONS, the only connection of another gets NEW_MS to send its first byte. */
const [NEW_MS, MANY_CONNECTIONS] = [1000, 10]

/** Above the total, this share of it is closed at once: looking at all connections for each new one would take long. */
const CLOSED_SHARE = 1 / 100

interface OpenConnection {
  readonly socket: Socket
  readonly networks: readonly string[]
  /** Bytes that had arrived at the last check, and the time since which no others have. */
  received: number
  idleSince: number
}

/**
 * Stops one address (IPv6: its /64, /56 and /48) from using up all sockets with idle connections. A connection above the
 * limit is closed without a reply, which is cheapest. Above the total, idle connections are closed, first those of the
 * address or site whose connections are idle longest in total: many addresses together must not fill the memory. A
 * connection that waits for a reply is closed only if there is no other, or for clients that have only a new one.
 */
export function limitConnections(server: Server, { perAddress, total, exempt, isPending }: ConnectionLimit): void {
  const max = perAddress || Number.POSITIVE_INFINITY
  const isExempt = createAddressMatcher(exempt)
  const open = new Set<OpenConnection>()
  const openByNetwork = new Map<string, Set<OpenConnection>>()
  const isFull = (network: string, limit: number) => (openByNetwork.get(network)?.size ?? 0) >= limit

  function add(connection: OpenConnection): void {
    open.add(connection)
    for (const network of connection.networks)
      openByNetwork.set(network, (openByNetwork.get(network) ?? new Set()).add(connection))
  }

  function remove(connection: OpenConnection): void {
    open.delete(connection)
    for (const network of connection.networks) {
      const ofNetwork = openByNetwork.get(network)
      if (ofNetwork?.delete(connection) && ofNetwork.size === 0) openByNetwork.delete(network)
    }
  }

  function cut(connection: OpenConnection): void {
    remove(connection)
    connection.socket.destroy()
  }

  const findLargest = () => [...openByNetwork.values()].reduce((a, b) => (b.size > a.size ? b : a), new Set())
  const isNewAndOnly = ({ socket, networks, idleSince }: OpenConnection) =>
    socket.bytesRead === 0 &&
    performance.now() - idleSince < NEW_MS &&
    networks.every((network) => openByNetwork.get(network)?.size === 1)

  /** Adds up how long the connections of each network are idle. The longest first. */
  function listIdleNetworks(): string[] {
    const now = performance.now()
    const idleMs = new Map<string, number>()
    for (const connection of open) {
      const { bytesRead } = connection.socket
      if (bytesRead !== connection.received || isPending(connection.socket))
        Object.assign(connection, { received: bytesRead, idleSince: now })
      for (const network of connection.networks)
        idleMs.set(network, (idleMs.get(network) ?? 0) + now - connection.idleSince)
    }
    return [...idleMs].sort(([, a], [, b]) => b - a).map(([network]) => network)
  }

  function makeSpace(): void {
    const target = Math.floor(total * (1 - CLOSED_SHARE))
    const isSpared = findLargest().size < MANY_CONNECTIONS ? () => false : isNewAndOnly
    for (const network of listIdleNetworks())
      for (const connection of openByNetwork.get(network) ?? [])
        if (open.size > target && !isPending(connection.socket) && !isSpared(connection)) cut(connection)
    const [oldest] = findLargest()
    if (oldest && open.size >= total) cut(oldest)
  }

  server.prependListener('connection', (socket: Socket) => {
    const address = unwrapIpv4(socket.remoteAddress ?? '')
    if (exempt.length > 0 && isExempt(address)) return
    const [client = '', ...wider] = listNetworks(address).reverse()
    const networks = client.includes(':') ? [client, ...wider] : [client]
    if (networks.some((network, i) => isFull(network, CONNECTION_FACTORS[i]! * max))) return void socket.destroy()
    if (open.size >= total) makeSpace()
    const connection = { socket, networks, received: 0, idleSince: performance.now() }
    add(connection)
    socket.once('close', () => remove(connection))
  })
}
