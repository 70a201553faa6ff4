import { ApiError } from '../../../errors/index.ts'
import { buildErrorBody } from '../../kernel/error-replies.ts'
import { readText } from '../../kernel/replies.ts'
import { RequestContext } from '../../kernel/request-context.ts'
import type { Route } from '../../kernel/route.ts'

/** The reply of an endpoint of this service, called without the network. */
export interface InternalReply {
  /** Relative to the base URL. */
  readonly path: string
  readonly status: number
  readonly body: RandomBody
}

interface RandomBody {
  readonly message: string | readonly string[]
  readonly item?: { readonly id?: string; readonly alt?: string | null; readonly title?: string }
}

export type RequestInternally = (
  group: string,
  kind: string,
  ctx: RequestContext,
  count?: number,
) => Promise<InternalReply>

/** Calls the handlers of the v2 routes, so that a page shows exactly the reply that a client gets. */
export function createInternalRequests(routes: readonly Route[]): RequestInternally {
  return async (group, kind, { request, response, id, startedAt, client, clientAddress, baseUrl }, count) => {
    const path = `api/v2/random/${group}/${kind}${count === undefined ? '' : `?count=${count}`}`
    const origin = {
      hasPublicUrl: true,
      readSender: () => ({ address: client, clientAddress }),
      readBaseUrl: () => baseUrl,
      isUntrustedProxy: () => false,
    }
    const inner = new RequestContext(request, response, id, startedAt, { origin })
    inner.params = { kind }
    // The browser accepts HTML; the page wants JSON.
    inner.query = { format: 'json', count }
    try {
      const route = routes.find((candidate) => candidate.path === `/api/v2/random/${group}/:kind`)
      const reply = await route!.handle(inner)
      return { path, status: reply.status, body: JSON.parse(readText(reply)) }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return { path, status: error.status, body: buildErrorBody(error, id) }
    }
  }
}
