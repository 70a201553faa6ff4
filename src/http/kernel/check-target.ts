import type { IncomingMessage } from 'node:http'
import { BadRequest, UriTooLong } from '../../errors/index.ts'
import { largest } from './early-errors.ts'

const SLASH = 47
const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/i

/** The first thing that is asked of a request: nothing that reads a URL reads one that is too long. */
export function checkTarget(request: IncomingMessage): void {
  const { url = '', httpVersionMinor } = request
  const { host } = request.headers
  if (url.length > largest.urlCharacters) throw new UriTooLong(largest.urlCharacters)
  if (host === undefined && httpVersionMinor === 1) throw new BadRequest('HTTP/1.1 needs a Host header.')
  // Several are joined to one: a proxy in between may have judged another than we would take.
  if (host?.includes(',')) throw new BadRequest('There may be only one Host header, with one host.')
  if (url.charCodeAt(0) !== SLASH) readAbsolute(request, url)
}

/** A whole URL, as a proxy is asked. Its host counts, whatever the header says (RFC 9112, 3.2.2). */
function readAbsolute(request: IncomingMessage, url: string): void {
  const [, host, rest = ''] = ABSOLUTE.exec(url) ?? []
  if (host === undefined) return
  request.headers.host = host
  request.url = rest.startsWith('/') ? rest : `/${rest}`
}
