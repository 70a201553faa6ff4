import type { IncomingHttpHeaders } from 'node:http'
import { createFairSemaphore } from '../concurrency/index.ts'
import {
  type AddressPolicyOptions,
  createAddressPolicy,
  createResolver,
  FetchError,
  getHost,
  parseFetchUrl,
  parseRedirect,
} from './address-policy.ts'
import { listNetworks } from './addresses.ts'
import type { RequestLimits } from './send-request.ts'
import { createSourceTurns, type SourceTurns } from './source-turns.ts'

export interface FetcherOptions extends AddressPolicyOptions, RequestLimits {
  /** For the whole fetch with its redirects. Waiting for a slot does not count. */
  totalTimeoutMs: number
  /** Concurrent fetches in total and per host and port, and how many may wait for a slot. */
  concurrency: { total: number; perHost: number; waiting: number }
  /** Another limit of concurrent fetches: each takes a file descriptor. */
  maxOpen: number
  userAgent: string
  accept: string
  /** Sent with every request, after redirects too. */
  headers: Readonly<Record<string, string>>
  /** Those of the service. Default: turns of this fetcher alone. */
  sourceTurns?: SourceTurns | undefined
}

const fetcherDefaults: FetcherOptions = {
  allowHosts: [],
  isBlockedHost: () => false,
  ports: [
    [80, 80],
    [443, 443],
    [1024, 65_535],
  ],
  resolve: createResolver(),
  maxBytes: 16 * 1024 * 1024,
  totalTimeoutMs: 10_000,
  connectTimeoutMs: 4000,
  headersTimeoutMs: 8000,
  // More than the job queue allows: networks wait there. Here hosts would take turns, and a client can name thousands.
  concurrency: { total: 320, perHost: 8, waiting: 128 },
  maxOpen: Number.POSITIVE_INFINITY,
  userAgent: 'menagerie',
  accept: '*/*',
  headers: {},
}

/** Header that marks fetches for clients, so that a service recognises those that lead back to it (RFC 8586). */
export const LOOP_MARK = { 'cdn-loop': 'menagerie' } as const

export const hasLoopMark = (headers: IncomingHttpHeaders) =>
  headers['cdn-loop'] !== undefined && /(?:^|,)\s*menagerie\s*(?:[,;]|$)/i.test(String(headers['cdn-loop']))

type Hop = { url: string; status: number; headers: IncomingHttpHeaders }

export interface Fetched extends Hop {
  /** Empty if the status is 304. */
  body: Buffer
  /** The redirects before the final response. Each has its own freshness. */
  redirects: Hop[]
}

interface FetchOptions {
  signal: AbortSignal
  /** The address of the client that sent the URL. No network of clients can take all slots of a host. */
  client?: string | undefined
  /** Called before the first request. If it throws, the fetch fails with its error. */
  onStart?: (() => void) | undefined
  /** Conditional headers, sent only to this URL: a redirect may lead elsewhere by now. */
  revalidate?: { url: string; headers: { 'if-none-match'?: string; 'if-modified-since'?: string } } | undefined
  /** Called with the number of bytes of each part of the body. If it throws, the fetch fails with its error. */
  onBytes?: ((bytes: number) => void) | undefined
}

interface PostOptions {
  readonly signal: AbortSignal
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

export type Fetcher = ReturnType<typeof createFetcher>

const MAX_REDIRECTS = 5
/** Of the slots of a host: the URLs that one client requests may never answer. */
const NETWORK_SHARE = 0.75
const redirectStatuses = [301, 302, 303, 307, 308]

/** Fetches only from the public internet: for every hop, it checks the addresses that it connects to. */
export function createFetcher(given: Partial<FetcherOptions>) {
  const options = { ...fetcherDefaults, ...given }
  const { userAgent, accept, totalTimeoutMs, concurrency, sourceTurns = createSourceTurns() } = options
  const semaphore = createFairSemaphore({
    maxRunning: Math.min(concurrency.total, options.maxOpen),
    maxRunningPerGroup: concurrency.perHost,
    maxRunningPerInnerGroup: Math.ceil(concurrency.perHost * NETWORK_SHARE),
    maxWaiting: concurrency.waiting,
    // The owner of a domain can name thousands of hosts, none of which has used anything yet.
    countsUse: false,
    waitTimeoutMs: totalTimeoutMs,
  })
  const policy = createAddressPolicy(options)
  const closed = new AbortController()
  /** The URLs of fetches that have a slot. */
  const fetching: string[] = []

  /** Fetches a URL from an untrusted client. Resolves on 200, 203, or 304 to `revalidate`; throws a FetchError otherwise. */
  async function get(
    text: string,
    { client, revalidate, onBytes, onStart, ...caller }: FetchOptions,
  ): Promise<Fetched> {
    const signal = AbortSignal.any([caller.signal, closed.signal])
    const [network] = listNetworks(client ?? '')
    const redirects: Hop[] = []
    let url = parseFetchUrl(text)
    let spentMs = 0
    // Loads undici on first use: that takes longer than most commands run.
    const { hasContent, sendRequest } = await import('./send-request.ts')
    for (;;) {
      // Per host and port: otherwise a client could delay the images of a host by requests to ports that never answer.
      using _slot = await semaphore.acquire([url.host, `${url.host} ${network}`], signal)
      if (redirects.length === 0) onStart?.()
      fetching.push(text)
      using _fetching = { [Symbol.dispose]: () => void fetching.splice(fetching.indexOf(text), 1) }
      using deadline = startDeadline(signal, totalTimeoutMs, spentMs)
      const addresses = await policy.resolveAllowed(url, deadline.signal)
      const isRevalidated = revalidate?.url === url.href
      const conditions = isRevalidated ? revalidate.headers : {}
      const common = { 'user-agent': userAgent, accept, 'accept-encoding': 'identity', ...options.headers }
      const headers = { ...common, ...conditions }
      const response = await sendRequest(url, addresses, { headers }, { ...options, onBytes, sourceTurns }, deadline)
      const { status } = response
      if (hasContent(status) || (status === 304 && isRevalidated)) return { url: url.href, ...response, redirects }
      if (!redirectStatuses.includes(status)) throw new FetchError('bad-status', { sourceStatus: status })
      if (redirects.length >= MAX_REDIRECTS)
        throw new FetchError('bad-redirect', { sourceStatus: status, problem: 'redirects too often' })
      redirects.push({ url: url.href, status, headers: response.headers })
      url = parseRedirect(response.headers.location, url, status)
      spentMs = deadline.spentMs()
    }
  }

  /** Posts a body. Resolves to the status of the reply; its body is not read, and redirects are not followed. */
  async function post(text: string, { signal: callerSignal, body, headers }: PostOptions): Promise<Omit<Hop, 'url'>> {
    const signal = AbortSignal.any([callerSignal, closed.signal])
    const url = parseFetchUrl(text)
    const { sendRequest } = await import('./send-request.ts')
    using _slot = await semaphore.acquire([url.host], signal)
    using deadline = startDeadline(signal, totalTimeoutMs, 0)
    const addresses = await policy.resolveAllowed(url, deadline.signal)
    const request = { headers: { 'user-agent': userAgent, ...headers }, post: body }
    return await sendRequest(url, addresses, request, { ...options, onBytes: undefined, sourceTurns }, deadline)
  }

  /** Makes every check that needs no DNS. Returns the normalised URL. Throws a FetchError. */
  function check(text: string) {
    const url = parseFetchUrl(text)
    policy.checkUrl(url)
    const host = getHost(url)
    return {
      href: url.href,
      /** Repeats the only check whose result can change. */
      recheck: () => policy.checkBlocklist(host),
    }
  }

  return {
    check,
    get,
    post,
    status: semaphore.status,
    /** Whether the URL is being fetched, and does not wait for a slot: there clients take turns. */
    isFetching: (text: string) => fetching.includes(text),
    /** Names what may be fetched. */
    rules: JSON.stringify([options.allowHosts, options.ports]),
    /** Aborts all running fetches. */
    close: () => closed.abort(),
  }
}

export type Deadline = ReturnType<typeof startDeadline>

/**
 * Starts one deadline over all that follows: a source that sends one byte per second cannot exceed it. `spentMs` is time
 * that counts already, from earlier hops.
 */
function startDeadline(callerSignal: AbortSignal, limitMs: number, spentMs: number) {
  const startedAt = performance.now() - spentMs
  const expired = new AbortController()
  const expireAfter = (ms: number, max: number) =>
    setTimeout(() => expired.abort(new FetchError('timeout', { max })), ms)
  const timer = expireAfter(limitMs - spentMs, limitMs)
  return {
    /** Aborts if the caller aborts, or with a `timeout` FetchError when the time is up. */
    signal: AbortSignal.any([callerSignal, expired.signal]),
    /** Sets a shorter limit on one part. If the part exceeds it, the whole fetch ends. */
    async within<T>(ms: number, part: Promise<T>): Promise<T> {
      using _timer = expireAfter(ms, ms)
      return await part
    },
    spentMs: () => performance.now() - startedAt,
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}
