import { ApiError } from '../../../errors/index.ts'
import { readText } from '../../kernel/replies.ts'
import { RequestContext } from '../../kernel/request-context.ts'
import type { Route } from '../../kernel/route.ts'

/** What an endpoint of ours answers, asked without a way over the network. */
export interface OwnReply {
  /** Below the base, without a slash at its start. */
  readonly path: string
  readonly status: number
  readonly body: RandomBody
}

export interface RandomBody {
  readonly message: string | readonly string[]
  readonly item?: { readonly id?: string; readonly alt?: string | null; readonly title?: string }
}

export type AskOwn = (
  group: string,
  kind: string,
  exchange: RequestContext<unknown, unknown>,
  count?: number,
) => Promise<OwnReply>

/** Asks the routes of a version themselves, so that a page shows the very reply that a caller gets. */
export function createAskOwn(routes: readonly Route[]): AskOwn {
  return async (group, kind, { request, response, id, startedAt, client, baseUrl }, count) => {
    const path = `api/v2/random/${group}/${kind}${count === undefined ? '' : `?count=${count}`}`
    const origin = { readClient: () => client, readBaseUrl: () => baseUrl }
    const inner = new RequestContext(request, response, id, startedAt, origin)
    inner.params = { type: kind }
    // The browser asks us for HTML; a program that asks for nothing special gets JSON.
    inner.query = { format: 'json', count }
    try {
      const route = routes.find((candidate) => candidate.path === `/api/v2/random/${group}/:type`)
      const reply = await route!.handle(inner)
      return { path, status: reply.status, body: JSON.parse(readText(reply)) }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const { status, code, message, details } = error
      const body = { success: false, status, code, message, ...details, requestId: id }
      return { path, status, body }
    }
  }
}
