import { createScrub, cutAddress } from '../../platform/logging/index.ts'
import type { RequestObserver } from './batch-requests.ts'

const LONGEST_PATH = 200
const PLAIN = /^[\w\-./~]*/
/** What may be a key, a token or an address, as a caller can paste one into any path. */
const SUSPECT = /mng[a-z]?_|\d\.\d{1,3}\.\d{1,3}\.\d/
const scrub = createScrub([])
/** Callers whose network is remembered; a page of them is forgotten at once when it is full. */
const REMEMBERED = 1000

/**
 * A line a request, put together by hand: what goes in is known to hold nothing private (the network of the caller, the
 * path without its query and without what may be private), so the line skips the search for private things that other
 * lines go through.
 */
export function createAccessLog(write: (line: string) => void): RequestObserver {
  const networks = new Map<string, string>()
  let stampedAt = 0
  let stamp = ''

  const networkOf = (client: string) => {
    const known = networks.get(client)
    if (known !== undefined) return known
    const network = cutAddress(client)
    if (networks.size >= REMEMBERED) networks.clear()
    networks.set(client, network)
    return network
  }

  return ({ id, method, url, client, tag, note, status, bytes, ms }) => {
    const now = Date.now()
    if (now !== stampedAt) {
      stampedAt = now
      stamp = new Date(now).toISOString()
    }
    write(
      `{"level":"info","time":"${stamp}","msg":"request","id":"${id}","client":"${networkOf(client)}",` +
        `"method":"${method}","path":${pathOf(url, tag !== undefined)},"status":${status},` +
        `"bytes":${bytes},"ms":${Math.round(ms * 100) / 100}${note === undefined ? '' : `,"note":${JSON.stringify(note)}`}}\n`,
    )
  }
}

function pathOf(url: string, known: boolean): string {
  const end = url.indexOf('?')
  const path = (end === -1 ? url : url.slice(0, end)).slice(0, LONGEST_PATH)
  // A caller may have pasted anything, an image URL for instance: keep what stands before the first unusual sign.
  const plain = PLAIN.exec(path)?.[0] ?? ''
  const kept = known ? plain : plain.split('/', 4).join('/')
  return `"${SUSPECT.test(kept) ? scrub(kept) : kept}"`
}
