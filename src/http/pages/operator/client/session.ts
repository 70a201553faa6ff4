import { ask, type Failure } from '../../shared/client/ask.ts'
import { one } from '../../shared/client/dom.ts'
import { onDate } from './format.ts'
import type { Token } from './types.ts'

const KEPT = 'operator-token'
/** As the service makes them; anything else was pasted by mistake, and is not sent. */
const SHAPE = /^mng_[\w-]{20,200}$/
const PATIENCE_MS = 10_000

export const looksLikeToken = (text: string) => SHAPE.test(text)

/** Nothing can be asked for with this token. */
export class SignedOut extends Error {}

/** The service did not answer as it should; it may later. */
export class Away extends Error {
  readonly seconds: number | undefined

  constructor(message: string, seconds?: number) {
    super(message)
    this.seconds = seconds
  }
}

/** The service understood and refused. */
export class Refused extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message ?? 'The service refused.')
    this.failure = failure
  }
}

const api = one('[data-api]').dataset.api ?? ''
let current: { text: string; about?: Token } | undefined

/** In this tab only: not in the address, not for other tabs, not when it is closed. A browser may keep nothing at all. */
function kept<T>(work: (storage: Storage) => T): T | null {
  try {
    return work(sessionStorage)
  } catch {
    return null
  }
}

export const keptToken = (): string | null => kept((storage) => storage.getItem(KEPT))

export function forget(): void {
  current = undefined
  kept((storage) => storage.removeItem(KEPT))
}

export interface Session {
  readonly token: Token
  /** The address that we come from, as a ban would name it. */
  readonly client: string
}

export async function signIn(text: string): Promise<Session> {
  current = { text }
  const { token, client } = await call<{ token: Token; client: string }>('/token')
  current = { text, about: token }
  kept((storage) => storage.setItem(KEPT, text))
  return { token, client }
}

export const headers = (): Record<string, string> => ({ authorization: `Bearer ${current?.text ?? ''}` })
export const addressOf = (path: string) => api + path

export async function call<Body>(path: string, method = 'GET', wish?: object): Promise<Body> {
  const { ok, status, body } = await ask<Body & { retryAfter?: number }>(addressOf(path), {
    method,
    headers: { ...headers(), ...(wish && { 'content-type': 'application/json' }) },
    ...(wish && { body: JSON.stringify(wish) }),
    cache: 'no-store',
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch((error) => {
    throw new Away((error as Error).name === 'TimeoutError' ? 'The service takes too long.' : (error as Error).message)
  })
  if (ok) return body
  throw problemOf(status, body)
}

function problemOf(status: number, body: Failure & { retryAfter?: number }): Error {
  const { code, message = '', retryAfter } = body
  if (status === 401) return new SignedOut(whyInvalid())
  if (code === 'BANNED') return new SignedOut(message)
  if (code === 'TOKEN_SCOPE_MISSING' && !current?.about) {
    return new SignedOut('This token may act, but not look: the dashboard needs one of the scope read, too.')
  }
  return status === 429 || status >= 500 ? new Away(message, retryAfter) : new Refused(body)
}

function whyInvalid(): string {
  const { about } = current ?? {}
  if (!about) {
    return 'The token is not valid: it is mistyped, expired or revoked. Several wrong ones in a row shut an address out for an hour.'
  }
  const { expiresAt } = about
  const expired = expiresAt !== null && Date.parse(expiresAt) <= Date.now()
  return `The token ${expired ? `has expired on ${onDate(expiresAt)}` : 'is no longer valid: it was revoked'}. Sign in with another one.`
}
