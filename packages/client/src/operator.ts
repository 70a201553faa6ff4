import type { Api } from './api.ts'
import type { CallOptions, Connection, Operation, QueryOf, ReplyOf } from './connection.ts'
import type { MenagerieError } from './error.ts'
import { FIRST_PAUSE_MS, sleep } from './request.ts'

const ROOT = '/api/v5/{app}/operator'
type Root = typeof ROOT
type Decision = 'grant' | 'refuse' | 'revoke'
type BanRequest = Api[`POST ${Root}/bans`]['body']
type Query<Path extends 'downloads' | 'usage' | 'bans' | 'clients'> = CallOptions & QueryOf<`GET ${Root}/${Path}`>

/** Such as `PUT /releases/{application}/{version}`. */
export type OperatorOperation = Operation extends infer O
  ? O extends `${infer M} ${Root}${infer P}`
    ? `${M} ${P}`
    : never
  : never
type Method<O> = O extends `${infer M} ${string}` ? M : never
type Path<O> = O extends `${string} ${infer P}` ? P : never
type Full<O> = Extract<Operation, `${Method<O>} ${Root}${Path<O>}`>
type BodyOf<O> = O extends Operation ? (Api[O] extends { body: infer Body } ? Body : undefined) : never

/** Proxies limit the body of a request. */
const PART_BYTES = 4 * 1024 * 1024
/** For one part, unless the call has a timeout of its own: enough for 112 kbit/s. */
const PART_TIMEOUT_MS = 5 * 60_000
/** Consecutive failures without progress. The pauses before the retries add up to 15 s. */
const MAX_FAILURES = 5

/** The operator endpoints. Only reads are retried. */
export interface Operator {
  overview(options?: CallOptions): Promise<ReplyOf<`GET ${Root}/overview`>>
  content(options?: CallOptions): Promise<ReplyOf<`GET ${Root}/content`>>
  downloads(options?: Query<'downloads'>): Promise<ReplyOf<`GET ${Root}/downloads`>>
  /** The usage history: by default 30 days. */
  usage(options?: Query<'usage'>): Promise<ReplyOf<`GET ${Root}/usage`>>
  adoption(options?: CallOptions): Promise<ReplyOf<`GET ${Root}/adoption`>>
  /** By default the newest 1000. */
  bans(options?: Query<'bans'>): Promise<ReplyOf<`GET ${Root}/bans`>>
  ban(ban: BanRequest, options?: CallOptions): Promise<ReplyOf<`POST ${Root}/bans`>>
  lift(address: string, options?: CallOptions): Promise<ReplyOf<`DELETE ${Root}/bans/{address}`>>
  clients(options?: Query<'clients'>): Promise<ReplyOf<`GET ${Root}/clients`>>
  /** Grants, refuses or revokes a client key. Only the reply to `grant` contains the key. */
  decide<D extends Decision>(
    id: string,
    decision: D,
    options?: CallOptions,
  ): Promise<ReplyOf<`POST ${Root}/clients/{id}/${D}`>>
  /** Reads an entry, or makes a change: every endpoint of the operator, by its method and path. */
  call<O extends OperatorOperation>(
    operation: O,
    params: Api[Full<O>]['params'],
    body?: BodyOf<Full<O>>,
    options?: CallOptions & Api[Full<O>]['query'],
  ): Promise<ReplyOf<Full<O>>>
  /**
   * Sends a file, and returns the SHA-256 that a change names as `upload`. Continues after a broken connection and after a
   * timeout, which is five minutes per part by default.
   */
  upload(file: Blob, options?: CallOptions): Promise<string>
  reload(options?: CallOptions): Promise<ReplyOf<`POST ${Root}/reload`>>
}

export function operator({ json }: Connection, app: string, token: string): Operator {
  const withOptions = (options: object | undefined) => ({ params: { app }, options, token })
  return {
    overview: (options) => json(`GET ${ROOT}/overview`, withOptions(options)),
    content: (options) => json(`GET ${ROOT}/content`, withOptions(options)),
    downloads: (options) => json(`GET ${ROOT}/downloads`, withOptions(options)),
    usage: (options) => json(`GET ${ROOT}/usage`, withOptions(options)),
    adoption: (options) => json(`GET ${ROOT}/adoption`, withOptions(options)),
    bans: (options) => json(`GET ${ROOT}/bans`, withOptions(options)),
    ban: (body, options) => json(`POST ${ROOT}/bans`, { ...withOptions(options), body }),
    lift: (address, options) =>
      json(`DELETE ${ROOT}/bans/{address}`, { ...withOptions(options), params: { app, address } }),
    clients: (options) => json(`GET ${ROOT}/clients`, withOptions(options)),
    decide: (id, decision, options) =>
      json(`POST ${ROOT}/clients/{id}/${decision}`, { ...withOptions(options), params: { app, id } }),
    call: (operation, params, body, options) => {
      const [method, path] = operation.split(' ')
      return json(
        `${method} ${ROOT}${path}` as never,
        {
          ...withOptions(options),
          params: { app, ...(params as object) },
          body,
        } as never,
      )
    },
    async upload(file, options) {
      const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer())
      const sha256 = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
      const call = { ...withOptions(options), params: { app, sha256 } }
      const putCall = { ...call, options: { ...options, timeoutMs: options?.timeoutMs ?? PART_TIMEOUT_MS } }
      for (let failures = 0, reached = 0; ; ) {
        try {
          let state = await json(`GET ${ROOT}/uploads/{sha256}`, call).catch((error: MenagerieError) => {
            if (error.code === 'UNKNOWN_UPLOAD') return { bytes: 0, complete: false }
            throw error
          })
          if (state.bytes > reached && state.bytes <= file.size) [reached, failures] = [state.bytes, 0]
          while (!state.complete) {
            // The service has all bytes, but did not check them.
            const start = state.bytes < file.size ? state.bytes : 0
            const part = file.slice(start, start + PART_BYTES)
            const range = `bytes ${start}-${start + part.size - 1}/${file.size}`
            // An empty file has no range.
            const headers = file.size > 0 && { headers: { 'Content-Range': range } }
            state = await json(`PUT ${ROOT}/uploads/{sha256}`, { ...putCall, file: part, ...headers })
            failures = 0
          }
          return sha256
        } catch (error) {
          const { code } = error as MenagerieError
          if ((code !== 'NO_ANSWER' && code !== 'NO_ANSWER_IN_TIME') || ++failures > MAX_FAILURES) throw error
          await sleep(FIRST_PAUSE_MS * 2 ** failures, options?.signal)
        }
      }
    },
    reload: (options) => json(`POST ${ROOT}/reload`, withOptions(options)),
  }
}
