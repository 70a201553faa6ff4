import type { IncomingMessage } from 'node:http'
import { UnknownPath } from '../../errors/index.ts'
import type { Reply } from './replies.ts'

const REMEMBERED_SECONDS = '86400'

/** A browser asks so before a request with headers of its own (X-Client-Key, Authorization). */
export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined && headers.origin !== undefined

export function preflightReply(methods: readonly string[]): Reply {
  if (methods.length === 0) throw new UnknownPath()
  return {
    status: 204,
    headers: [
      'Access-Control-Allow-Methods',
      methods.join(', '),
      'Access-Control-Allow-Headers',
      'Authorization, Content-Type, If-None-Match, Range, X-Client-Key, X-Install-Id',
      'Access-Control-Max-Age',
      REMEMBERED_SECONDS,
    ],
    body: undefined,
  }
}
