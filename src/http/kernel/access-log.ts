import { createScrubber, shortenAddress } from '../../platform/logging/index.ts'
import type { RequestObserver } from './batch-requests.ts'

const MAX_PATH_LENGTH = 200
const PLAIN_CHARACTERS = /^[\w\-./~]*/
/** May be a key, a token or an address: a client can paste one into any path. */
const SECRET_OR_ADDRESS = /mng[a-z]?_|\d\.\d{1,3}\.\d{1,3}\.\d/
const scrub = createScrubber([])
/** The cache of networks is emptied as a whole when it is full. */
const MAX_CACHED_NETWORKS = 1000

/**
 * Writes one line per request, formatted by hand. All its parts are free of private data (the network of the client,
 * the path without its query and without what may be private), so the line skips the filter that other log lines pass.
 */
export function createAccessLog(write: (line: string) => void): RequestObserver {
  const networks = new Map<string, string>()
  let timestampedAt = 0
  let timestamp = ''

  const findNetwork = (client: string) => {
    const cached = networks.get(client)
    if (cached !== undefined) return cached
    const network = shortenAddress(client)
    if (networks.size >= MAX_CACHED_NETWORKS) networks.clear()
    networks.set(client, network)
    return network
  }

  return ({ id, method, url, client, routeIndex, note, status, bytes, ms }) => {
    const now = Date.now()
    if (now !== timestampedAt) {
      timestampedAt = now
      timestamp = new Date(now).toISOString()
    }
    write(
      `{"level":"info","time":"${timestamp}","msg":"request","id":"${id}","client":"${findNetwork(client)}",` +
        `"method":"${method}","path":${formatPath(url, routeIndex !== -1)},"status":${status},` +
        `"bytes":${bytes},"ms":${Math.round(ms * 100) / 100}${note === undefined ? '' : `,"note":${JSON.stringify(note)}`}}\n`,
    )
  }
}

function formatPath(url: string, isKnownRoute: boolean): string {
  const end = url.indexOf('?')
  const path = (end === -1 ? url : url.slice(0, end)).slice(0, MAX_PATH_LENGTH)
  // A client may have pasted anything, such as an image URL: keep the part before the first unusual character.
  const plainPath = PLAIN_CHARACTERS.exec(path)?.[0] ?? ''
  const loggedPath = isKnownRoute ? plainPath : plainPath.split('/', 4).join('/')
  return `"${SECRET_OR_ADDRESS.test(loggedPath) ? scrub(loggedPath) : loggedPath}"`
}
