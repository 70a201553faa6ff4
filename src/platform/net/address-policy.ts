// Which URLs, hosts and addresses a fetch may use.
import { lookup, Resolver } from 'node:dns/promises'
import { addAbortListener } from 'node:events'
import { isIP } from 'node:net'
import { classifyAddress, isInternalName, isReservedName } from './addresses.ts'

export const MAX_URL_CHARACTERS = 2048

/** Parses an absolute http(s) URL from a client. The result has one normalised host and no fragment. */
export function parseFetchUrl(text: string): URL {
  const fail = (problem: string) => new FetchError('invalid-url', { problem })
  if (text.length > MAX_URL_CHARACTERS) throw fail(`is longer than ${MAX_URL_CHARACTERS} characters`)
  const url = URL.parse(text)
  if (!url) throw fail('is not an absolute URL')
  const problem = normalize(url)
  if (problem) throw fail(problem)
  return url
}

/** Resolves a Location header. A bad one is a fault of the source, not of the client. */
export function parseRedirect(location: string | string[] | undefined, from: URL, sourceStatus: number): URL {
  const url = typeof location === 'string' ? URL.parse(location, from) : null
  if (!url) throw new FetchError('bad-redirect', { sourceStatus, problem: 'redirects without a valid location' })
  const problem = normalize(url)
  if (problem) throw new FetchError('bad-redirect', { sourceStatus, problem: `redirects to a URL that ${problem}` })
  return url
}

/** Normalises the URL in place. Returns what is wrong with it, if anything. */
function normalize(url: URL): string | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'is neither http nor https'
  if (url.username !== '' || url.password !== '') return 'contains credentials'
  // Setters parse the URL again, and this runs on every cache hit: call them only if they change something.
  if (url.href.includes('#')) url.hash = ''
  // "host." and "host" are the same host: a trailing dot must not bypass the blocklist.
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1)
  if (/^\.|\.\.|\.$/.test(url.hostname) || url.hostname.length > 253) return 'has no valid host'
  return undefined
}

/** The host for comparing and connecting: IPv6 literals without brackets. */
export const getHost = (url: URL) => url.hostname.replace(/^\[|\]$/g, '')

export const getPort = (url: URL) => Number(url.port || (url.protocol === 'https:' ? 443 : 80))

/** Undefined: a percent sign encodes nothing. */
export function decodeUrlPart(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Returns every address of a name, or none if it has none. */
type Resolve = (name: string, signal: AbortSignal) => Promise<string[]>

export interface AddressPolicyOptions {
  /** `host:port` of sources that may be private and use any port. */
  allowHosts: readonly string[]
  /** Called on every hop with the normalised host. It handles parent domains itself. */
  isBlockedHost: (host: string) => boolean
  /** First and last port of each allowed range. */
  ports: readonly (readonly [first: number, last: number])[]
  resolve: Resolve
}

/** Hosts have fewer. A name of an attacker may have 6,000, which take 20 to 50 ms to check at each redirect. */
const MAX_ADDRESSES = 64

/** Decides which hosts and addresses a fetch may connect to. */
export function createAddressPolicy({ allowHosts, isBlockedHost, ports, resolve }: AddressPolicyOptions) {
  const allowed = new Set(allowHosts.map(parseAllowedHost))
  const isAllowed = (url: URL) => allowed.has(`${getHost(url)}:${getPort(url)}`)

  function checkBlocklist(host: string): void {
    if (isBlockedHost(host)) throw new FetchError('blocked-host', { host })
  }

  /** Makes every check that needs no DNS. */
  function checkUrl(url: URL): void {
    const host = getHost(url)
    checkBlocklist(host)
    if (isAllowed(url)) return
    const port = getPort(url)
    if (!ports.some(([first, last]) => port >= first && port <= last))
      throw new FetchError('forbidden-address', { problem: `uses port ${port}; allowed are ${formatPorts(ports)}` })
    const isForbidden = isIP(host) ? classifyAddress(host) !== 'public' : isInternalName(host)
    if (isForbidden) throw new FetchError('forbidden-address')
  }

  /** Returns addresses that may be connected to. Connect without another lookup. */
  async function resolveAllowed(url: URL, signal: AbortSignal): Promise<string[]> {
    checkUrl(url)
    const host = getHost(url)
    if (isIP(host)) return [host]
    if (isAllowed(url)) return resolveAbortably(host, resolveLikeSystem, signal)
    if (isReservedName(host)) return []
    const addresses = await resolveAbortably(host, resolve, signal)
    if (addresses.length > MAX_ADDRESSES)
      throw new FetchError('unreachable', { problem: 'has too many addresses in DNS' })
    // One private address among public ones is enough: rebinding and split-horizon names look like this.
    const isForbidden = addresses.some((address) => classifyAddress(address) !== 'public')
    if (isForbidden) throw new FetchError('forbidden-address')
    return addresses
  }

  return { checkBlocklist, checkUrl, resolveAllowed }
}

function parseAllowedHost(entry: string): string {
  const url = /:\d{1,5}$/.test(entry) ? URL.parse(`http://${entry}`) : null
  if (!url) throw new TypeError(`an allowed host must be host:port, not "${entry}"`)
  return `${getHost(url)}:${getPort(url)}`
}

const formatPorts = (ports: AddressPolicyOptions['ports']) =>
  ports.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(', ')

/** Stops waiting on abort, even if the resolver ignores the signal. */
async function resolveAbortably(host: string, resolve: Resolve, signal: AbortSignal): Promise<string[]> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  using _listener = addAbortListener(signal, () => reject(signal.reason))
  return await Promise.race([resolve(host, signal).catch(() => []), aborted])
}

/**
 * Queries DNS without the thread pool. `dns.lookup` blocks one of its few threads for as long as a hostile name server
 * likes, cannot be cancelled, and also reads the hosts file of this machine.
 */
export const createResolver =
  (servers?: readonly string[]): Resolve =>
  async (name, signal) => {
    const resolver = new Resolver({ timeout: 1500, tries: 2 })
    if (servers) resolver.setServers(servers)
    using _listener = addAbortListener(signal, () => resolver.cancel())
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  }

/** For hosts that the operator allowed: uses the hosts file and search domains of the machine. */
const resolveLikeSystem: Resolve = async (name) => {
  const found = await lookup(name, { all: true }).catch(() => [])
  return found.map(({ address }) => address)
}

/** Why a fetch failed. Features turn this into errors in their own words. */
export type FetchFailure =
  | 'invalid-url'
  | 'blocked-host'
  | 'forbidden-address'
  | 'too-large'
  | 'timeout'
  /** There was no complete HTTP response. */
  | 'unreachable'
  /** The source answered with a status that is neither success nor a redirect. */
  | 'bad-status'
  | 'bad-redirect'

interface FetchDetails {
  /** The rest of a sentence that starts with "The URL" or "The source", such as "redirects too often". */
  readonly problem?: string
  /** The limit that was exceeded: bytes for `too-large`, milliseconds for `timeout`. */
  readonly max?: number
  /** For `blocked-host`. */
  readonly host?: string
  /** HTTP status of the source, if it sent one. */
  readonly sourceStatus?: number
}

/** Never names a resolved address: clients must not learn what a name resolves to inside the network. */
export class FetchError extends Error {
  readonly reason: FetchFailure
  readonly details: FetchDetails

  constructor(reason: FetchFailure, details: FetchDetails = {}) {
    super(details.problem ? `${reason}: ${details.problem}` : reason)
    this.name = 'FetchError'
    this.reason = reason
    this.details = details
  }
}
