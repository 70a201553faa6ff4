import { MenagerieError } from './error.ts'

export interface RequestOptions {
  readonly fetch: typeof fetch
  /** For one request and its complete reply. */
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

export interface RetryOptions {
  /** How many times a GET is repeated after status 429, 503 or no answer. */
  readonly retries: number
  /** Maximum sum of all pauses of a call. If the service asks for a longer pause, the call fails at once. */
  readonly maxWaitMs: number
}

/** setTimeout fires at once with a larger value. */
const MAX_TIMER_MS = 2 ** 31 - 1
/** The pause before the first retry if there is no `Retry-After`. It doubles with each retry. */
export const FIRST_PAUSE_MS = 250

/** Sends one request and reads its complete reply within the timeout. */
export async function send<T>(
  url: string,
  init: RequestInit,
  { fetch, timeoutMs, signal }: RequestOptions,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const controller = new AbortController()
  const abort = () => controller.abort(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  let isTimeout = false
  const expire = () => {
    isTimeout = true
    controller.abort()
  }
  const timer = timeoutMs <= MAX_TIMER_MS ? setTimeout(expire, timeoutMs) : undefined
  try {
    const response = await fetch(url, { ...init, signal: controller.signal })
    if (!response.ok) throw await readError(response)
    return await read(response)
  } catch (cause) {
    if (cause instanceof MenagerieError) throw cause
    signal?.throwIfAborted()
    if (isTimeout) {
      throw new MenagerieError('NO_ANSWER_IN_TIME', 0, `The service did not reply within ${timeoutMs} ms.`, { cause })
    }
    const message = `${new URL(url).origin} does not reply. Check the address and the connection.`
    throw new MenagerieError('NO_ANSWER', 0, message, { cause })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

export async function withRetries<T>(
  work: () => Promise<T>,
  { retries, maxWaitMs }: RetryOptions,
  signal: AbortSignal | undefined,
): Promise<T> {
  let remainingMs = maxWaitMs
  for (let attempt = 0; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const pause = attempt < retries ? computePause(error, attempt) : undefined
      if (pause === undefined || pause.minMs > remainingMs) throw error
      const ms = Math.min(pause.minMs + Math.random() * pause.jitterMs, remainingMs)
      remainingMs -= ms
      await sleep(ms, signal)
    }
  }
}

/** Undefined: a retry would not help. The jitter keeps clients from returning all at once after an outage. */
function computePause(error: unknown, attempt: number): { minMs: number; jitterMs: number } | undefined {
  if (!(error instanceof MenagerieError)) return undefined
  const { status, code, retryAfter } = error
  if (status !== 429 && status !== 503 && code !== 'NO_ANSWER') return undefined
  const backoff = FIRST_PAUSE_MS * 2 ** attempt
  return { minMs: retryAfter === undefined ? backoff / 2 : retryAfter * 1000, jitterMs: backoff }
}

export const sleep = (ms: number, signal: AbortSignal | undefined) =>
  new Promise<void>((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      if (signal?.aborted) reject(signal.reason)
      else resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end, { once: true })
    if (signal?.aborted) end()
  })

/** Twice the longest reply of a service. A hostile server must not fill the memory of the program. */
const MAX_REPLY_BYTES = 128 * 1024 * 1024

/** Copies into one buffer: a list of tiny chunks would take a hundred times as much memory. */
export async function readBytes(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader()
  let bytes = new Uint8Array(64 * 1024)
  let length = 0
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    const end = length + part.value.length
    if (end > MAX_REPLY_BYTES) {
      await reader?.cancel()
      throw unexpectedReply(response)
    }
    if (end > bytes.length) {
      const larger = new Uint8Array(2 * end)
      larger.set(bytes.subarray(0, length))
      bytes = larger
    }
    bytes.set(part.value, length)
    length = end
  }
  return bytes.subarray(0, length)
}

const readText = async (response: Response) => new TextDecoder().decode(await readBytes(response))

/** Reads the JSON of a success. A page of a proxy or of another server is an error. */
export async function readJson(response: Response): Promise<unknown> {
  const fields = parseObject(await readText(response))
  if (fields?.success !== true) throw unexpectedReply(response)
  return fields
}

async function readError(response: Response): Promise<MenagerieError> {
  const { success, status: _, code, message, requestId, ...details } = parseObject(await readText(response)) ?? {}
  if (success !== false || typeof code !== 'string' || typeof message !== 'string') return unexpectedReply(response)
  return new MenagerieError(code, response.status, message, {
    details,
    requestId: typeof requestId === 'string' ? requestId : undefined,
    retryAfter: readRetryAfter(response),
  })
}

export function unexpectedReply(response: Response): MenagerieError {
  const { status, headers } = response
  const type = headers.get('content-type')?.split(';')[0] || 'no type'
  const message = `This is not a reply of a Menagerie service (status ${status}, ${type}). Check the address and any proxy.`
  return new MenagerieError('UNEXPECTED_REPLY', status, message, {
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter: readRetryAfter(response),
  })
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** In seconds. HTTP also allows a date. */
function readRetryAfter({ headers }: Response): number | undefined {
  const text = headers.get('retry-after')?.trim()
  if (!text) return undefined
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
