import type { Api, Nothing } from './api.ts'
import { readJson } from './replies.ts'
import { type Patience, withRetries } from './retry.ts'
import { send } from './send.ts'
import { baseOf, type Fields, urlOf } from './url.ts'

/** What every call may be given besides its wishes. */
export interface CallOptions extends Partial<Patience> {
  readonly signal?: AbortSignal | undefined
  /** For one request and its whole reply. */
  readonly timeoutMs?: number
}

export interface ClientOptions extends Omit<CallOptions, 'signal'> {
  /** The key that the operator granted; it goes to v5 only. */
  readonly clientKey?: string | undefined
  /** What stays the same for one installation, such as a UUID: it decides about staged rollouts, and goes to v5 only. */
  readonly installId?: string | undefined
  /** Instead of the global one. */
  readonly fetch?: typeof fetch
}

export type Operation = keyof Api
export type ReplyOf<O extends Operation> = Api[O]['reply']
/** What may be asked for; the client asks for JSON. */
export type QueryOf<O extends Operation> = Omit<Api[O]['query'], 'format'>

type ParamsOf<O extends Operation> = Api[O]['params'] &
  (O extends `${string}{app}${string}` ? { readonly app: string } : Nothing)

export interface Call<O extends Operation> {
  readonly params: ParamsOf<O>
  /** The query, and among it call options, which are not sent. */
  readonly wish?: object | undefined
  readonly body?: Api[O] extends { body: infer Body } ? Body : undefined
  /** An operator's. */
  readonly token?: string
}

/** The way to one service. */
export interface Connection {
  url<O extends Operation>(operation: O, call: Pick<Call<O>, 'params' | 'wish'>): string
  json<O extends Operation>(operation: O, call: Call<O>): Promise<ReplyOf<O>>
  /** For a reply that is not JSON. */
  read<O extends Operation, T>(operation: O, call: Call<O>, accept: string, read: Reader<T>): Promise<T>
}

type Reader<T> = (response: Response) => Promise<T>

const DEFAULTS = { timeoutMs: 30_000, retries: 2, maxWaitMs: 10_000 }

export function connect(url: string | URL, options: ClientOptions = {}): Connection {
  const { clientKey, installId, fetch: given, ...defaults } = options
  const base = baseOf(url)

  const target = (operation: Operation, { params, wish = {} }: Pick<Call<Operation>, 'params' | 'wish'>) => {
    const { signal, timeoutMs, retries, maxWaitMs, ...query } = wish as CallOptions & Fields
    const [method = '', template = ''] = operation.split(' ')
    const options = { ...DEFAULTS, ...defined(defaults), ...defined({ timeoutMs, retries, maxWaitMs }) }
    return { method, url: urlOf(base, template, params as Fields, query as Fields), options, signal, template }
  }

  const connection: Connection = {
    url: (operation, call) => target(operation, call).url,
    json: (operation, call) => connection.read(operation, call, 'application/json', readJson) as Promise<never>,
    read: async (operation, call, accept, read) => {
      const { method, url, options, signal, template } = target(operation, call)
      const isApp = template.startsWith('/api/v5/')
      const secrets = {
        ...(clientKey && isApp && { 'X-Client-Key': clientKey }),
        ...(installId && isApp && { 'X-Install-Id': installId }),
        ...(call.token && { Authorization: `Bearer ${call.token}` }),
      }
      const init: RequestInit = {
        method,
        headers: { Accept: accept, ...secrets, ...(call.body && { 'Content-Type': 'application/json' }) },
        ...(call.body && { body: JSON.stringify(call.body) }),
        // A redirect to another host would be given them, too.
        redirect: Object.keys(secrets).length > 0 ? 'error' : 'follow',
      }
      const once = () => send(url, init, { ...options, signal, fetch: given ?? globalThis.fetch }, read)
      return method === 'GET' ? withRetries(once, options, signal) : once()
    },
  }
  return connection
}

const defined = <T extends object>(options: T): Partial<T> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<T>
