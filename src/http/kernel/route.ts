import type { Static, TSchema } from 'typebox'
import type { ErrorClass } from '../../errors/index.ts'
import type { Bucket } from './limits.ts'
import type { Reply } from './replies.ts'
import type { RequestContext } from './request-context.ts'

export type Fields = Readonly<Record<string, TSchema>>

type Values<F extends Fields> = { [Name in keyof F]: Static<F[Name]> }
type Given<F extends Fields> = { [Name in keyof F]: Static<F[Name]> | undefined }

/** An error as a table names it: only its code, status and summary matter there. */
export type ErrorDefinition = Pick<ErrorClass, 'code' | 'status' | 'summary'>

export interface RouteSpec<P extends Fields = Fields, Q extends Fields = Fields> {
  readonly summary: string
  readonly description?: string
  readonly tag: string
  readonly params?: P
  /** Declared parameters are checked before the handler runs; others are ignored. */
  readonly query?: Q
  /** Headers that a caller may send, as the reference tells of them. */
  readonly headers?: Fields
  /** The JSON that a caller sends. */
  readonly body?: TSchema
  /** Of a success; 200 where nothing is said. */
  readonly status?: number
  /** The JSON of a success. */
  readonly reply?: TSchema
  /** What a success may be instead of JSON, by media type. */
  readonly otherTypes?: readonly string[]
  /** Statuses of a success besides `status`, with what they mean: 206, 302 … */
  readonly otherReplies?: Readonly<Record<number, string>>
  readonly errors?: readonly ErrorDefinition[]
  /** What a request is paid from; the common budget where nothing is said. */
  readonly bucket?: Bucket
  /** Only for a bearer of a token with this scope. */
  readonly operatorScope?: 'read' | 'write'
  /** Whether a key of a registered client is asked for, in the header `X-Client-Key`. */
  readonly clientKey?: 'required' | 'optional'
}

export type Handler<P extends Fields, Q extends Fields> = (
  ctx: RequestContext<Values<P>, Given<Q>>,
) => Reply | Promise<Reply>

/** An entry of a route table: what is answered, and all that the reference says of it. */
export interface Route extends RouteSpec {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** As the router writes it: `:name` for a segment, `*` for the rest. */
  readonly path: string
  /** Lets a caller in, or throws; asked before anything else of the request is looked at. */
  readonly admit?: (ctx: RequestContext) => void | Promise<void>
  readonly handle: (ctx: RequestContext) => Reply | Promise<Reply>
}

const define =
  (method: Route['method']) =>
  <const P extends Fields = Record<never, TSchema>, const Q extends Fields = Record<never, TSchema>>(
    path: string,
    spec: RouteSpec<P, Q>,
    handle: Handler<P, Q>,
  ): Route => ({ method, path, ...spec, handle: handle as unknown as Route['handle'] })

/** GET, and HEAD with it. */
export const get = define('GET')
export const post = define('POST')
export const remove = define('DELETE')

/** A table under a common start of the path. */
export const under = (prefix: string, routes: readonly Route[]): Route[] =>
  routes.map((route) => ({ ...route, path: prefix + route.path }))
