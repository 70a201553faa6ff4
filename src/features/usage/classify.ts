// What a request is counted as. All names come from closed lists, except the hosts of referring sites.
import { cacheByText } from '../../platform/concurrency/index.ts'
import { listNetworks } from '../../platform/net/index.ts'
import { OTHER_USAGE, type UsageOutcome, usageOutcomes } from '../../platform/store/index.ts'

/** The statuses of errors that the source of an image causes. No other error has them. */
const SOURCE_FAILED = [502, 504]

const classify = (status: number): UsageOutcome => {
  if (status < 400) return 'served'
  if (status < 500) return 'refused'
  return SOURCE_FAILED.includes(status) ? 'sourceFailed' : 'failed'
}

/** The position in `usageOutcomes`. */
export const outcomeOf = (status: number): number => usageOutcomes.indexOf(classify(status))

/** Longer texts are not read to their end. */
const MAX_LENGTH = 400

const cacheNames = (read: (text: string) => string) =>
  cacheByText((text) => read(text.slice(0, MAX_LENGTH)), { maxTexts: 1000, maxLength: MAX_LENGTH })

/** A public host name: no address, and no name inside a private network, which may identify somebody. */
const PUBLIC_HOST = /^https?:\/\/((?:[a-z0-9-]{1,63}\.){1,6}[a-z][a-z0-9-]{1,62})(?::\d{1,5})?(?:[/?#]|$)/i
const PRIVATE_HOST = /\.(?:local|localdomain|localhost|internal|intranet|lan|home|corp|arpa)$/
const MAX_HOST_LENGTH = 100
const OWN_PAGES = 'own pages'

/** Returns a function that names the site of a `Referer`: its host without the port. */
export function createReferrerReader(ownHosts: readonly string[]) {
  const readHost = cacheNames((referrer) => {
    const host = PUBLIC_HOST.exec(referrer)?.[1]?.toLowerCase()
    if (host === undefined || host.length > MAX_HOST_LENGTH || PRIVATE_HOST.test(host)) return OTHER_USAGE
    return ownHosts.includes(host) ? OWN_PAGES : host
  })
  /** `host`: the `Host` header of the request. */
  return (referrer: string, host: string | undefined): string => {
    if (host === undefined || host === '') return readHost(referrer)
    const start = referrer.indexOf('://') + 3
    // Another site may have a name that begins with this host.
    const isOwn = referrer.startsWith(host, start) && ':/?#'.includes(referrer.charAt(start + host.length))
    return isOwn ? OWN_PAGES : readHost(referrer)
  }
}

/** Referring sites per network and day. The store has space for 200 names, which one client could use up. */
const MAX_SITES = 20
/** Bounds the memory. */
const MAX_NETWORKS = 10_000

/** Returns a function that names a site as `others` if the network of the client has named too many on this day. */
export function createReferrerLimiter(clock: () => number = Date.now) {
  const sites = new Map<string, Set<string>>()
  let today = 0
  return (site: string, client: string): string => {
    if (site === OTHER_USAGE || site === OWN_PAGES) return site
    const day = Math.floor(clock() / 86_400_000)
    if (day !== today || sites.size >= MAX_NETWORKS) sites.clear()
    today = day
    const [network = ''] = listNetworks(client)
    const known = sites.get(network) ?? new Set()
    sites.set(network, known)
    if (known.size < MAX_SITES) known.add(site)
    return known.has(site) ? site : OTHER_USAGE
  }
}

/** The first pattern that matches gives the name: many browsers also claim to be the ones below them. */
const AGENTS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Discord', /discordbot/i],
  ['Telegram', /telegrambot/i],
  ['Slack', /slack(?:bot|-img)/i],
  ['other bots', /bot\b|crawl|spider|slurp|facebookexternalhit|whatsapp|uptime|monitor|preview/i],
  ['updaters', /electron-builder|sparkle|velopack|tauri/i],
  ['Electron', /electron\//i],
  ['Edge', /\bedg(?:e|a|ios)?\//i],
  ['Opera', /\bopr\//i],
  ['Samsung Internet', /samsungbrowser\//i],
  ['Firefox', /(?:firefox|fxios)\//i],
  ['Chrome', /(?:chrome|crios)\//i],
  ['Safari', /safari\//i],
  ['other browsers', /^mozilla\//i],
  ['curl', /^curl\//i],
  ['Wget', /^wget/i],
  ['Python', /python|aiohttp|httpx/i],
  ['Deno or Bun', /^(?:deno|bun)\//i],
  ['Node.js', /^node|undici|axios|node-fetch|superagent/i],
  ['Go', /^go-http-client|golang/i],
  ['Java', /java|okhttp|apache-httpclient|ktor/i],
  ['.NET', /\.net|restsharp|dotnet/i],
  ['Rust', /reqwest|ureq|hyper/i],
  ['PHP', /php|guzzle/i],
  ['Ruby', /ruby|faraday/i],
  ['Dart', /^dart/i],
]
const NO_AGENT = 'none'

/** Returns a function that names the family of a `User-Agent`. */
export function createAgentReader() {
  const readFamily = cacheNames((agent) => AGENTS.find(([, pattern]) => pattern.test(agent))?.[0] ?? OTHER_USAGE)
  return (agent: string | undefined): string => (agent ? readFamily(agent) : NO_AGENT)
}
