import type { IncomingHttpHeaders } from 'node:http'
import { ImageUnreachable } from '../../errors/index.ts'
import { startClock } from './clock.ts'
import { dial } from './dial.ts'
import { type ExchangeLimits, exchange, isPicture } from './exchange.ts'
import { createGate } from './gate.ts'
import { createResolver } from './resolve.ts'
import { hostOf, parseRedirect, parseSourceUrl } from './source-url.ts'
import { createTargets, type TargetRules } from './target.ts'

export interface FetcherOptions extends TargetRules, ExchangeLimits {
  /** Over the whole exchange, redirects included; waiting for a place does not count. */
  totalTimeoutMs: number
  connectTimeoutMs: number
  maxRedirects: number
  /** Fetches under way in all, to one host, and waiting for a place. */
  concurrency: { total: number; perHost: number; waiting: number }
  userAgent: string
}

export const fetcherDefaults: FetcherOptions = {
  allowHosts: [],
  isBlockedHost: () => false,
  ports: [
    [80, 80],
    [443, 443],
    [1024, 65_535],
  ],
  resolve: createResolver(),
  maxBytes: 16 * 1024 * 1024,
  maxHeaderBytes: 16 * 1024,
  totalTimeoutMs: 10_000,
  connectTimeoutMs: 4000,
  firstByteTimeoutMs: 8000,
  maxRedirects: 5,
  concurrency: { total: 32, perHost: 8, waiting: 128 },
  userAgent: 'menagerie',
}

export interface Hop {
  url: string
  status: number
  headers: IncomingHttpHeaders
}

export interface Fetched extends Hop {
  /** Empty where the status is 304. */
  body: Buffer
  /** The redirects on the way; each has a freshness of its own. */
  redirects: Hop[]
}

export interface GetOptions {
  signal: AbortSignal
  /** Conditional headers, and the final URL that they are about: a redirect may lead elsewhere by now. */
  revalidate?: { url: string; headers: { 'if-none-match'?: string; 'if-modified-since'?: string } } | undefined
}

/** A URL that would not be refused without asking DNS, in its settled spelling. */
export interface Vetted {
  href: string
  /** Throws where it would be refused by now: of all that is judged only the list of blocked hosts changes. */
  vetAgain(): void
}

export interface Fetcher {
  /** Throws where `get` would refuse it without asking DNS. */
  vet(url: string): Vetted
  /** What is behind a stranger's URL (200, 203, or 304 to `revalidate`); every other outcome is thrown. */
  get(url: string, options: GetOptions): Promise<Fetched>
  status(): { running: number; waiting: number }
  /** Breaks off what is under way. */
  close(): void
}

const redirectStatuses = [301, 302, 303, 307, 308]

/** GET that can only reach the public internet: every hop is judged on the very addresses that it dials. */
export function createFetcher(given: Partial<FetcherOptions>): Fetcher {
  const options = { ...fetcherDefaults, ...given }
  const { perHost: perKey, ...places } = options.concurrency
  const waitMs = options.totalTimeoutMs
  const gate = createGate({ ...places, perKey, waitMs, retryAfter: () => Math.ceil(waitMs / 1000) })
  const targets = createTargets(options)
  const closed = new AbortController()

  async function get(text: string, { signal: caller, revalidate }: GetOptions): Promise<Fetched> {
    const signal = AbortSignal.any([caller, closed.signal])
    const redirects: Hop[] = []
    let url = parseSourceUrl(text)
    let spentMs = 0
    for (;;) {
      using _place = await gate.enter(hostOf(url), signal)
      using clock = startClock(signal, options.totalTimeoutMs, spentMs)
      const isRevalidated = revalidate?.url === url.href
      const addresses = await targets.judgedAddresses(url, clock.signal)
      const socket = await dial(url, addresses, options.connectTimeoutMs, clock.signal)
      const headers = {
        'user-agent': options.userAgent,
        accept: 'image/*,*/*;q=0.8',
        'accept-encoding': 'identity',
        ...(isRevalidated && revalidate.headers),
      }
      const reply = await exchange(url, socket, headers, options, clock)
      const { status } = reply
      if (isPicture(status) || (status === 304 && isRevalidated)) return { url: url.href, ...reply, redirects }
      if (!redirectStatuses.includes(status)) throw new ImageUnreachable(status)
      if (redirects.length >= options.maxRedirects) throw new ImageUnreachable(status, 'redirects too often')
      redirects.push({ url: url.href, status, headers: reply.headers })
      url = parseRedirect(reply.headers.location, url, status)
      spentMs = clock.spentMs()
    }
  }

  function vet(text: string): Vetted {
    const url = parseSourceUrl(text)
    targets.vet(url)
    const host = hostOf(url)
    return { href: url.href, vetAgain: () => targets.refuseBlocked(host) }
  }

  return { vet, get, status: gate.status, close: () => closed.abort() }
}
