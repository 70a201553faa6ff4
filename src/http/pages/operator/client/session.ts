import { one } from '../../shared/client/dom.ts'
import { type Failure, requestJson } from '../../shared/client/request.ts'
import { useStorage } from '../../shared/client/storage.ts'
import { formatDateTime } from './format.ts'
import type { Token } from './types.ts'

const STORAGE_KEY = 'operator-token'
/** The token of a sign-in link, which nobody uses after signing out. */
const LINK_TOKEN_KEY = 'operator-link-token'
/** Text that does not match was pasted by mistake. It is not sent. */
const TOKEN_PATTERN = /^mng_[\w-]{20,200}$/
const REQUEST_TIMEOUT_MS = 10_000

export const looksLikeToken = (text: string) => TOKEN_PATTERN.test(text)

/** The token is not accepted. */
export class SignedOut extends Error {}

/** The service does not reply, or asks to retry later. */
export class Unavailable extends Error {
  readonly seconds: number | undefined

  constructor(message: string, seconds?: number) {
    super(message)
    this.seconds = seconds
  }
}

/** The service rejected the request. */
export class Refused extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message ?? 'The service rejected the request.')
    this.failure = failure
  }
}

const api = one('[data-api]').dataset.api ?? ''
let current: { text: string; about?: Token } | undefined

/** For this tab only. */
const useSession = <T>(work: (storage: Storage) => T) => useStorage('sessionStorage', work)

export const readStoredToken = (): string | null => useSession((storage) => storage.getItem(STORAGE_KEY))

export function forgetToken(): void {
  current = undefined
  useSession((storage) => storage.removeItem(STORAGE_KEY))
  useSession((storage) => storage.removeItem(LINK_TOKEN_KEY))
}

/** Forgets the token, and revokes it if it is that of a sign-in link. */
export async function signOut(): Promise<void> {
  const { text, about } = current ?? {}
  const isOfLink = text !== undefined && text === useSession((storage) => storage.getItem(LINK_TOKEN_KEY))
  const revoked = isOfLink && about ? call(`/tokens/${about.id}`, 'DELETE') : undefined
  forgetToken()
  // If the service does not reply, the token expires after 12 hours at the latest.
  await revoked?.catch(() => {})
}

export async function signIn(text: string): Promise<Token> {
  current = { text }
  const { token } = await call<{ token: Token }>('/token')
  current = { text, about: token }
  useSession((storage) => storage.setItem(STORAGE_KEY, text))
  return token
}

/** Exchanges the secret of a sign-in link for a token. */
export async function redeemLink(link: string): Promise<string> {
  const { ok, body } = await requestJson<{ secret: string }>('operator/sign-in', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ link }),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  })
  if (!ok) throw new Error(body.message)
  useSession((storage) => storage.setItem(LINK_TOKEN_KEY, body.secret))
  return body.secret
}

export const headers = (): Record<string, string> => ({ authorization: `Bearer ${current?.text ?? ''}` })
export const urlOf = (path: string) => api + path

interface RequestOptions {
  readonly method?: string
  /** Sent as JSON. */
  readonly payload?: object | undefined
  readonly file?: Blob
  readonly headers?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
}

/** Sends a request with the token. Throws SignedOut, Unavailable or Refused. */
export async function request<Body>(
  path: string,
  { method = 'GET', payload, file, headers: more, timeoutMs = REQUEST_TIMEOUT_MS }: RequestOptions = {},
): Promise<{ readonly body: Body; readonly etag: string | null }> {
  const sent = payload ? JSON.stringify(payload) : file
  const {
    ok,
    status,
    body,
    headers: replied,
  } = await requestJson<Body & { retryAfter?: number }>(urlOf(path), {
    method,
    headers: { ...headers(), ...(payload && { 'content-type': 'application/json' }), ...more },
    ...(sent && { body: sent }),
    cache: 'no-store',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error) => {
    throw new Unavailable(
      (error as Error).name === 'TimeoutError' ? 'The service takes too long to reply.' : (error as Error).message,
    )
  })
  if (ok) return { body, etag: replied.get('etag') }
  throw createError(status, body)
}

export const call = async <Body>(path: string, method = 'GET', payload?: object): Promise<Body> =>
  (await request<Body>(path, { method, payload })).body

function createError(status: number, body: Failure & { retryAfter?: number }): Error {
  const { code, message = '', retryAfter } = body
  if (status === 401) return new SignedOut(explainInvalidToken())
  if (code === 'BANNED') return new SignedOut(message)
  if (code === 'TOKEN_SCOPE_MISSING' && !current?.about) {
    return new SignedOut('This token does not have the scope read, which the dashboard needs.')
  }
  return status === 429 || status >= 500 ? new Unavailable(message, retryAfter) : new Refused(body)
}

function explainInvalidToken(): string {
  const { about } = current ?? {}
  if (!about) {
    return 'The token is not valid: it is mistyped, expired or revoked. Several wrong tokens in a row get the address banned.'
  }
  const { expiresAt } = about
  const expired = expiresAt !== null && Date.parse(expiresAt) <= Date.now()
  return `The token ${expired ? `expired on ${formatDateTime(expiresAt)}` : 'was revoked'}. Sign in with another one.`
}
