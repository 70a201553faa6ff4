import type { Api, Nothing } from './api.ts'
import { type RetryOptions, readJson, send, withRetries } from './request.ts'

/** Options of every call. */
export interface CallOptions extends Partial<RetryOptions> {
  readonly signal?: AbortSignal | undefined
  /** For one request and its complete reply. */
  readonly timeoutMs?: number
}

export interface ClientOptions extends Omit<CallOptions, 'signal'> {
  /** The key that the operator granted. It is sent to v5 only. */
  readonly clientKey?: string | undefined
  /** Any text that stays the same for one installation, such as a UUID. Staged rollouts use it. It is sent to v5 only. */
  readonly installId?: string | undefined
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch
}

export type Operation = keyof Api
export type ReplyOf<O extends Operation> = Api[O]['reply']
/** The query parameters of an operation. `format` is missing because the client always requests JSON. */
export type QueryOf<O extends Operation> = Omit<Api[O]['query'], 'format'>

type ParamsOf<O extends Operation> = Api[O]['params'] &
  (O extends `${string}{app}${string}` ? { readonly app: string } : Nothing)

export interface Call<O extends Operation> {
  readonly params: ParamsOf<O>
  /** Query parameters and call options. Only the former are sent. */
  readonly options?: object | undefined
  readonly body?: Api[O] extends { body: infer Body } ? Body : undefined
  /** Instead of a JSON body. */
  readonly file?: Blob
  readonly headers?: Record<string, string>
  /** An operator token. */
  readonly token?: string
}

/** Sends requests to one service. */
export interface Connection {
  url<O extends Operation>(operation: O, call: Pick<Call<O>, 'params' | 'options'>): string
  json<O extends Operation>(operation: O, call: Call<O>): Promise<ReplyOf<O>>
  /** For replies other than JSON. */
  read<O extends Operation, T>(operation: O, call: Call<O>, accept: string, read: Reader<T>): Promise<T>
}

type Reader<T> = (response: Response) => Promise<T>
type Fields = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

const DEFAULTS = { timeoutMs: 30_000, retries: 2, maxWaitMs: 10_000 }

export function connect(url: string | URL, options: ClientOptions = {}): Connection {
  const { clientKey, installId, fetch: customFetch, ...defaults } = options
  const base = parseBase(url)

  const resolve = (operation: Operation, { params, options = {} }: Pick<Call<Operation>, 'params' | 'options'>) => {
    const { signal, timeoutMs, retries, maxWaitMs, ...query } = options as CallOptions & Fields
    const [method = '', template = ''] = operation.split(' ')
    const limits = { ...DEFAULTS, ...omitUndefined(defaults), ...omitUndefined({ timeoutMs, retries, maxWaitMs }) }
    return { method, url: buildUrl(base, template, params as Fields, query as Fields), limits, signal, template }
  }

  const connection: Connection = {
    url: (operation, call) => resolve(operation, call).url,
    json: (operation, call) => connection.read(operation, call, 'application/json', readJson) as Promise<never>,
    read: async (operation, call, accept, read) => {
      const { method, url, limits, signal, template } = resolve(operation, call)
      const isApp = template.startsWith('/api/v5/')
      const secrets = {
        ...(clientKey && isApp && { 'X-Client-Key': clientKey }),
        ...(installId && isApp && { 'X-Install-Id': installId }),
        ...(call.token && { Authorization: `Bearer ${call.token}` }),
      }
      const init: RequestInit = {
        method,
        headers: {
          Accept: accept,
          ...secrets,
          ...(call.body && { 'Content-Type': 'application/json' }),
          ...call.headers,
        },
        ...(call.body && { body: JSON.stringify(call.body) }),
        ...(call.file && { body: call.file }),
        // A redirect to another host would receive the secrets.
        redirect: Object.keys(secrets).length > 0 ? 'error' : 'follow',
      }
      const sendOnce = () => send(url, init, { ...limits, signal, fetch: customFetch ?? globalThis.fetch }, read)
      // Only GET can be repeated safely.
      return method === 'GET' ? withRetries(sendOnce, limits, signal) : sendOnce()
    },
  }
  return connection
}

const omitUndefined = <T extends object>(options: T): Partial<T> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<T>

/** The URL without a final slash. The service may be under a path of its host. */
function parseBase(url: string | URL): string {
  let parsed: URL | undefined
  try {
    parsed = new URL(url)
  } catch {}
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username || parsed.password) {
    throw new TypeError(
      `"${url}" is not the address of a service. Use an absolute http or https URL without credentials.`,
    )
  }
  return (parsed.origin + parsed.pathname).replace(/\/+$/, '')
}

/** Fills `{name}` in the template from the parameters. Undefined query parameters are omitted. */
function buildUrl(base: string, template: string, params: Fields, query: Fields): string {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeParam(name, String(params[name] ?? '')))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value))
  }
  const text = search.toString()
  return base + path + (text && `?${text}`)
}

/** Only a parameter with the name `path` may contain slashes. */
function encodeParam(name: string, value: string): string {
  const segments = name === 'path' ? value.split('/') : [value]
  // URL parsers resolve "." and "..", so the request would go to another endpoint.
  if (segments.some((segment) => /^\.{0,2}$/.test(segment))) throw new TypeError(`"${value}" cannot be part of a path.`)
  return segments.map(encodeURIComponent).join('/')
}
