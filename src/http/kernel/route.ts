import type { Static, TSchema } from 'typebox'
import type { ErrorClass } from '../../errors/index.ts'
import type { Bucket } from './limits.ts'
import type { Reply } from './replies.ts'
import type { RequestContext } from './request-context.ts'

export type Fields = Readonly<Record<string, TSchema>>

type Values<F extends Fields> = { [Name in keyof F]: Static<F[Name]> }
/** The query of a request: each parameter may be missing. */
export type QueryOf<F extends Fields> = { readonly [Name in keyof F]?: Static<F[Name]> | undefined }

/** The part of an error class that describes it. */
export type ErrorDefinition = Pick<ErrorClass, 'code' | 'status' | 'summary' | 'buildExample'>

interface RouteSpec<P extends Fields = Fields, Q extends Fields = Fields> {
  readonly summary: string
  readonly description?: string
  readonly tag: string
  readonly params?: P
  /** Validated before the handler runs. Undeclared parameters are ignored. */
  readonly query?: Q
  /** Request headers, for the API reference only. */
  readonly headers?: Fields
  /** The JSON body of the request. */
  readonly body?: TSchema
  /** The body is a file, which may take longer to arrive than other requests may. */
  readonly receivesFile?: boolean
  /** Status of a success. Default: 200 */
  readonly status?: number
  /** Headers of a success, for the API reference only. It describes HEAD, too, if a route has some. */
  readonly replyHeaders?: Fields
  /** The JSON body of a success. */
  readonly reply?: TSchema
  /** Fields of the example of a success that the examples of `reply` do not say. */
  readonly example?: () => object
  /** Other media types of a success. */
  readonly otherTypes?: readonly string[]
  /** Examples of text replies by media type. Images, files and pages have none. */
  readonly textExamples?: Readonly<Record<string, string>>
  /** Whether replies have an ETag, so that a condition can make them a 304. Default: true for GET */
  readonly hasEtag?: boolean
  /** Descriptions of other statuses of a success: 206, 302 … */
  readonly otherReplies?: Readonly<Record<number, string>>
  readonly errors?: readonly ErrorDefinition[]
  /** Whether the OpenAPI document has it. Default: true */
  readonly isListed?: boolean
  /** The rate limit bucket; `none` for health checks, which must never be limited. Default: requests */
  readonly bucket?: Bucket | 'none'
  /** Whether filters of this service may fetch it. A fetch of another route is refused as a loop. */
  readonly mayBeFetchedByFilters?: boolean
  /** Whether the public log has only the pattern of the path, because people write names into it. Default: false */
  readonly hidesPath?: boolean
  /** Requires an operator token with this scope. */
  readonly operatorScope?: 'read' | 'write' | 'publish'
  /** Whether the header `X-Client-Key` is read. */
  readonly clientKey?: 'required' | 'optional'
}

/** A route: its handler, and everything that the API reference says about it. */
export interface Route extends RouteSpec {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** `:name` matches one segment, `*` the rest. */
  readonly path: string
  /** Authenticates the client, or throws. Runs before the query is validated. */
  readonly admit?: (ctx: RequestContext) => void | Promise<void>
  readonly handle: (ctx: RequestContext) => Reply | Promise<Reply>
}

interface RouteDefinition<P extends Fields, Q extends Fields> extends RouteSpec<P, Q> {
  readonly handle: (ctx: RequestContext<Values<P>, QueryOf<NoInfer<Q>>>) => Reply | Promise<Reply>
}

const define =
  (method: Route['method']) =>
  <const P extends Fields = Record<never, TSchema>, const Q extends Fields = Record<never, TSchema>>(
    path: string,
    { handle, ...spec }: RouteDefinition<P, Q>,
  ): Route => ({ method, path, ...spec, handle: handle as unknown as Route['handle'] })

/** Also handles HEAD. */
export const get = define('GET')
export const post = define('POST')
export const put = define('PUT')
export const remove = define('DELETE')

export const under = (prefix: string, routes: readonly Route[]): Route[] =>
  routes.map((route) => ({ ...route, path: prefix + route.path }))
