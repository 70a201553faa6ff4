import { cutAddress } from '../logging/index.ts'
import type { Observer } from './send.ts'

const LONGEST_PATH = 200
const PLAIN = /^[\w\-./~]*$/

/**
 * A line a request, put together by hand: what goes in is known to hold nothing private (the network of the caller, the
 * path without its query), so the line skips the search for private things that other lines go through.
 */
export function createAccessLog(write: (line: string) => void): Observer {
  const networks = new WeakMap<object, string>()
  let stampedAt = 0
  let stamp = ''

  return (exchange, status, bytes) => {
    const { request, route, note } = exchange
    const now = Date.now()
    if (now !== stampedAt) {
      stampedAt = now
      stamp = new Date(now).toISOString()
    }
    // A connection keeps its address; with proxies a connection carries many callers.
    const forwarded = request.headers['x-forwarded-for'] !== undefined
    let network = forwarded ? undefined : networks.get(request.socket)
    if (network === undefined) {
      network = cutAddress(exchange.client)
      if (!forwarded) networks.set(request.socket, network)
    }
    const ms = (performance.now() - exchange.startedAt).toFixed(2)
    write(
      `{"level":"info","time":"${stamp}","msg":"request","id":"${exchange.id}","client":"${network}",` +
        `"method":"${request.method}","path":${pathOf(request.url ?? '', route !== undefined)},"status":${status},` +
        `"bytes":${bytes},"ms":${ms}${note === undefined ? '' : `,"note":${JSON.stringify(note)}`}}\n`,
    )
  }
}

function pathOf(url: string, known: boolean): string {
  const end = url.indexOf('?')
  const path = (end === -1 ? url : url.slice(0, end)).slice(0, LONGEST_PATH)
  if (known && PLAIN.test(path)) return `"${path}"`
  // A caller may have pasted anything, an image URL for instance: keep what stands before it.
  const before = path.split(/%3a|:/i, 1)[0] ?? ''
  return JSON.stringify(known ? before : before.split('/', 4).join('/'))
}
