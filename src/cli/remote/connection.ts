// Requests and uploads to the operator endpoints of a remote service.
import { open } from 'node:fs/promises'
import { isIPv4 } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError, UsageError } from '../../errors/index.ts'
import { parseJson } from '../../platform/files/index.ts'
import { describeNetworkError } from '../text.ts'

/** Long enough for the last part of a large upload over a slow connection: the service computes its SHA-256. */
const TIMEOUT_MS = 5 * 60_000

/** More than the longest reply of a service. */
const MAX_REPLY_BYTES = 64 * 2 ** 20

const MAX_WAITS = 5
const MAX_WAIT_SECONDS = 60

export interface Server {
  /** Without a final slash. */
  readonly url: string
  readonly token: string
}

/** The service cannot be reached now. A repeated request may succeed. */
class Unreachable extends OperatorError {}

/** The service did nothing yet, so any request can be repeated. */
class RateLimitExceeded extends OperatorError {
  readonly seconds: number
  constructor(seconds: number, message: string) {
    super(message)
    this.seconds = Math.min(seconds, MAX_WAIT_SECONDS)
  }
}

/** An error reply of the service. */
export class RefusedRequest extends OperatorError {
  readonly code: string
  readonly details: Fields
  constructor(code: string, message: string, details: Fields = {}) {
    super(message)
    this.code = code
    this.details = details
  }
}

export interface RequestOptions {
  /** Values of `:name` in the path. */
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  /** JSON, unless it is bytes. */
  readonly body?: object | undefined
  readonly headers?: Readonly<Record<string, string>>
}

type Fields = Record<string, unknown>
export type Connection = Awaited<ReturnType<typeof connect>>

/** Others could read a token that is sent over plain HTTP, so that is for this machine only. */
export function parseServer(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new UsageError('The server must be a URL such as https://animals.example.org.')
  const isLoopback = /^(localhost|\[::1\])$/.test(url.hostname) || (isIPv4(url.hostname) && /^127\./.test(url.hostname))
  if (url.protocol === 'http:' && !isLoopback)
    throw new UsageError(`The token would be sent unencrypted to ${url.host}. Use https://${url.host}.`)
  return (url.origin + url.pathname).replace(/\/+$/, '')
}

/** Reads the API description: which operator endpoints the service has, and the name of the product in their paths. */
export async function connect({ url: server, token }: Server) {
  const { paths } = await send(server, `${server}/openapi.json`, {})
  const operations = (paths instanceof Object ? paths : {}) as Record<string, Fields>
  const root = Object.keys(operations).find((path) => /^\/api\/v5\/[^/]+\/operator\/token$/.test(path))
  if (!root) throw new OperatorError(`No Menagerie service replies at ${server}. Check the address.`)
  const operator = root.slice(0, -'/token'.length)

  return {
    server,
    /** `path` is relative to the operator endpoints. `Reply` describes the fields of a success that the caller reads. */
    request<Reply>(method: string, path: string, options: RequestOptions = {}): Promise<Reply> {
      const { params = {}, query = {}, body, headers = {} } = options
      const template = operator + path.replace(/:(\w+)/g, '{$1}')
      if (!operations[template]?.[method.toLowerCase()])
        throw new OperatorError(`The service at ${server} is too old for this command. Upgrade it.`)
      const search = new URLSearchParams()
      for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
      const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeParam(String(params[name] ?? '')))
      const isJson = body !== undefined && !(body instanceof Uint8Array)
      return send(server, `${server}${operator}${filled}${search.size > 0 ? `?${search}` : ''}`, {
        method,
        headers: {
          Authorization: `Bearer ${token}`,
          ...(isJson && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body && { body: (isJson ? JSON.stringify(body) : body) as string }),
      }) as Promise<Reply>
    },
  }
}

/** URL parsers resolve "." and "..", so the request would go to another endpoint. */
function encodeParam(value: string): string {
  if (/^\.{0,2}$/.test(value)) throw new UsageError(`"${value}" cannot be part of a path.`)
  return encodeURIComponent(value)
}

/** Waits while the rate limit of the service is exhausted: a command may send hundreds of files. */
async function send(server: string, url: string, init: RequestInit): Promise<Fields> {
  for (let waits = 0; ; waits++) {
    try {
      return await sendOnce(server, url, init)
    } catch (error) {
      if (!(error instanceof RateLimitExceeded) || waits === MAX_WAITS) throw error
      await sleep(error.seconds * 1000)
    }
  }
}

async function sendOnce(server: string, url: string, init: RequestInit): Promise<Fields> {
  // A redirect is not followed: another host would get the token.
  const options: RequestInit = { ...init, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) }
  const { status, headers, text } = await fetchText(url, options).catch((error) => {
    throw new Unreachable(`${server} cannot be reached: ${describeNetworkError(error)}.`)
  })
  if (status >= 300 && status < 400) {
    const target = URL.parse(headers.get('location') ?? '', url)?.origin ?? 'another address'
    throw new OperatorError(`${server} redirects to ${target}. Use the address of the service itself.`)
  }
  const value = parseJson(text)
  const reply = value instanceof Object ? (value as Fields) : undefined
  if (status < 300 && reply) return reply
  throw describeRefusal(server, status, reply)
}

async function fetchText(url: string, init: RequestInit) {
  const { status, headers, body } = await fetch(url, init)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_REPLY_BYTES) throw new Error(`its reply has more than ${MAX_REPLY_BYTES} bytes`)
    chunks.push(chunk)
  }
  return { status, headers, text: Buffer.concat(chunks).toString() }
}

function describeRefusal(server: string, status: number, reply: Fields | undefined): OperatorError {
  const { code, message } = reply ?? {}
  if (typeof code !== 'string' || typeof message !== 'string') {
    const text = `This is not a reply of a Menagerie service (status ${status}). Check the address ${server} and any proxy.`
    return status >= 502 && status <= 504 ? new Unreachable(text) : new OperatorError(text)
  }
  if (code === 'TOKEN_INVALID')
    return new RefusedRequest(code, `${server} does not accept the token: it is unknown, expired or revoked.`)
  if (code === 'TOKEN_SCOPE_MISSING')
    return new RefusedRequest(code, `${message} To act on this machine instead of ${server}, use --server local.`)
  // The same exit code as for a local service.
  if (code === 'INVALID_BODY') return new UsageError(message)
  if (status === 429) return new RateLimitExceeded(Number(reply?.retryAfter) || 1, message)
  return status === 503 ? new Unreachable(message) : new RefusedRequest(code, message, reply)
}

/** Proxies limit the body of a request, such as Cloudflare to 100 MB. */
const PART_BYTES = 4 * 1024 * 1024
/** Consecutive failures. The pauses before the retries add up to 15 s, enough for a restart of the service. */
const MAX_FAILURES = 5
const FIRST_PAUSE_MS = 500
/** A connection that breaks after this many bytes is no failure. Fewer would let a server keep a command busy forever. */
const MIN_PROGRESS_BYTES = 64 * 1024

interface UploadOptions {
  /** A path, or the bytes. */
  readonly source: string | Uint8Array
  readonly sha256: string
  readonly bytes: number
  readonly onProgress?: (done: number, total: number) => void
}

/** Sends a file in parts. Parts that the service has are not sent again, also after a broken connection. */
export async function uploadFile(connection: Connection, { source, sha256, bytes, onProgress }: UploadOptions) {
  await using handle = typeof source === 'string' ? await open(source) : null
  const read = async (start: number, end: number) => {
    const part = typeof source === 'string' ? Buffer.alloc(end - start) : source.subarray(start, end)
    await handle?.read(part, 0, part.length, start)
    return part
  }
  const request = (method: string, body?: Uint8Array, start = 0) =>
    connection.request<{ bytes: number; complete: boolean }>(method, '/uploads/:sha256', {
      params: { sha256 },
      ...(body && { body }),
      // An empty file has no range.
      ...(body && bytes > 0 && { headers: { 'Content-Range': `bytes ${start}-${start + body.length - 1}/${bytes}` } }),
    })
  const findState = () =>
    request('GET').catch((error) => {
      if (error instanceof RefusedRequest && error.code === 'UNKNOWN_UPLOAD') return { bytes: 0, complete: false }
      throw error
    })

  // Each part is sent once, and all of them again if the service has them but did not check them.
  let partsLeft = 2 * Math.ceil(bytes / PART_BYTES) + 2
  for (let failures = 0, reached = 0; ; ) {
    try {
      // A small file is sent at once, which saves a request.
      let state = failures === 0 && bytes <= PART_BYTES ? { bytes: 0, complete: false } : await findState()
      if (failures > 0 && state.bytes >= reached + MIN_PROGRESS_BYTES && state.bytes <= bytes) {
        reached = state.bytes
        failures = 0
        partsLeft++
      }
      while (!state.complete) {
        // The service has all bytes, but did not check them.
        const start = state.bytes < bytes ? state.bytes : 0
        onProgress?.(start, bytes)
        if (partsLeft-- === 0) throw new OperatorError(`${connection.server} does not complete the upload.`)
        state = await request('PUT', await read(start, Math.min(start + PART_BYTES, bytes)), start)
        failures = 0
      }
      return
    } catch (error) {
      if (!(error instanceof Unreachable) || ++failures > MAX_FAILURES) throw error
      await sleep(FIRST_PAUSE_MS * 2 ** (failures - 1))
    }
  }
}
