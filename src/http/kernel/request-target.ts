import type { IncomingMessage } from 'node:http'
import { BadRequest, UriTooLong } from '../../errors/index.ts'
import { MAX_URL_LENGTH } from './error-replies.ts'
import { isValidHost } from './request-context.ts'

const SLASH = '/'.charCodeAt(0)
const ABSOLUTE_URL = /^https?:\/\/([^/?#]*)(.*)$/i

/** The first check of a request: no other code reads a URL that is too long. */
export function createTargetCheck(): (request: IncomingMessage) => void {
  // Nearly all requests name the same host.
  let lastValidHost = ''

  // Several headers are joined with a comma. A proxy may have checked another one than the service would use.
  const checkHost = (host = '') => {
    if (host === lastValidHost || host === '') return
    if (!isValidHost(host)) throw new BadRequest('Send one Host header with a valid host name or address.')
    lastValidHost = host
  }

  return (request) => {
    const { url = '', httpVersionMinor, headers } = request
    if (url.length > MAX_URL_LENGTH) throw new UriTooLong(MAX_URL_LENGTH)
    if (headers.host === undefined && httpVersionMinor === 1) throw new BadRequest('HTTP/1.1 requires a Host header.')
    checkHost(headers.host)
    if (url.charCodeAt(0) === SLASH) return
    useAbsoluteUrl(request, url)
    checkHost(headers.host)
  }
}

/** Proxies may send an absolute URL. Its host counts instead of the Host header (RFC 9112, 3.2.2). */
function useAbsoluteUrl(request: IncomingMessage, url: string): void {
  const [, host, rest = ''] = ABSOLUTE_URL.exec(url) ?? []
  if (host === undefined) return
  request.headers.host = host
  request.url = rest.startsWith('/') ? rest : `/${rest}`
}
