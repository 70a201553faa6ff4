import { randomUUID } from 'node:crypto'
import { Type } from 'typebox'
import { InvalidBody, OperatorError, TokenInvalid, TokenRequired, TokenScopeMissing } from '../../errors/index.ts'
import type { Clock, Scope, TokenRecord, Tokens as TokenStore } from '../../platform/store/index.ts'
import { createSecret, createSecretIndex, isSecretOf, parseTextFields, singleLineText } from './secrets.ts'

const TOKEN_PREFIX = 'mng_'
/** The time of the last use is shown to people; a precision of one minute is enough. */
const LAST_USE_INTERVAL_MS = 60_000

export const scopes = ['read', 'write', 'publish'] as const satisfies Scope[]

const TokenFields = Type.Object({ label: singleLineText(1, 64, 'Purpose of the token.') })

export type Token = Omit<TokenRecord, 'hash'>

export type Tokens = ReturnType<typeof createTokens>

export function createTokens(store: TokenStore, { clock = Date.now }: { clock?: Clock } = {}) {
  // A token may have been revoked during an outage, so none is accepted until the store answers.
  const secrets = createSecretIndex(store, {
    getHash: ({ hash }) => hash,
    keepWhenUnavailable: false,
    deletesRevoked: true,
    revokeAgain: ({ id }) => store.remove(id),
  })
  const lastUses = new Map<string, number>()

  const recordUse = ({ id, lastUsedAt }: Token) => {
    const now = clock()
    // Abs: after the clock was set back, the last use is in the future.
    if (Math.abs(now - (lastUses.get(id) ?? lastUsedAt ?? 0)) < LAST_USE_INTERVAL_MS) return
    lastUses.set(id, now)
    store.markUsed(id, now).catch(() => lastUses.delete(id))
  }

  /** Undefined: unknown or revoked. */
  const verify = async (text: string): Promise<{ token: Token; expired: boolean } | undefined> => {
    const record = await secrets.find(text)
    return record && { token: withoutHash(record), expired: record.expiresAt !== null && record.expiresAt <= clock() }
  }

  /** Whether a token is valid, expired, or was valid since the start: using it is a mistake rather than a guess. */
  const isKnown = async (text: string): Promise<boolean> =>
    (await secrets.find(text)) !== undefined || secrets.wasKnown(text)

  /** The returned secret is not stored. */
  const create = async (label: string, requestedScopes: readonly Scope[], expiresAt: number | null) => {
    const { secret, hash } = createSecret(TOKEN_PREFIX)
    const record: TokenRecord = {
      id: randomUUID().slice(0, 8),
      ...parseTextFields(TokenFields, { label }),
      hash,
      scopes: scopes.filter((scope) => requestedScopes.includes(scope)),
      createdAt: clock(),
      expiresAt,
      lastUsedAt: null,
    }
    await store.put([record])
    secrets.invalidate()
    return { secret, token: withoutHash(record) }
  }

  const remove = async (id: string): Promise<boolean> => {
    if (!(await store.remove(id))) return false
    secrets.markRevoked(id)
    secrets.invalidate()
    lastUses.delete(id)
    return true
  }

  const list = async (): Promise<Token[]> => (await store.list()).map(withoutHash)

  /** Checks an Authorization header; throws the error for the client. */
  const authenticate = async (authorization: string | undefined, scope: Scope): Promise<Token> => {
    const text = parseBearerToken(authorization)
    if (text === undefined) throw isToken(authorization) ? new TokenInvalid() : new TokenRequired()
    const found = await verify(text)
    if (!found || found.expired) throw new TokenInvalid()
    if (!found.token.scopes.includes(scope)) throw new TokenScopeMissing(scope)
    recordUse(found.token)
    return found.token
  }

  return {
    refresh: secrets.refresh,
    create,
    list,
    verify,
    isKnown,
    authenticate,
    /** Takes effect on every node within a second. */
    async revoke(id: string): Promise<void> {
      if (!(await remove(id)))
        throw new OperatorError(`There is no token "${id}". The command "token list" shows all tokens.`)
    },

    /** Creates a token in the name of another one, which limits its scopes and its lifetime. */
    async createFrom(authorization: string | undefined, { label, scopes: requested, expiresAt }: NewToken) {
      const own = await authenticate(authorization, 'write')
      assertScopes(own, requested)
      const at = expiresAt ?? own.expiresAt
      if (at !== null && at <= clock()) throw new InvalidBody('The token must expire in the future.')
      if (own.expiresAt !== null && (at === null || at > own.expiresAt)) {
        const limit = new Date(own.expiresAt).toISOString()
        throw new InvalidBody(`The token must not expire after your own token, which expires at ${limit}.`)
      }
      return create(label, ['read', ...requested], at)
    },
    /** False: there is no such token. */
    async revokeFrom(authorization: string | undefined, id: string): Promise<boolean> {
      const own = await authenticate(authorization, 'write')
      const found = (await list()).find((token) => token.id === id)
      if (found) assertScopes(own, found.scopes)
      return found !== undefined && (await remove(id))
    },
  }
}

interface NewToken {
  readonly label: string
  readonly scopes: readonly Scope[]
  /** In milliseconds since 1970. Default: that of the creating token. */
  readonly expiresAt?: number | undefined
}

function assertScopes(own: Token, required: readonly Scope[]): void {
  const missing = required.find((scope) => !own.scopes.includes(scope))
  if (missing) throw new TokenScopeMissing(missing)
}

export const parseBearerToken = (authorization: string | undefined): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]

/** What has the form of a token or client key: programs go on with old ones, or with those of another instance. */
export const findFormerToken = (authorization = ''): string | undefined =>
  /mng[cl]?_[\w-]{43}(?![\w-])/.exec(authorization)?.[0]

/**
 * Whether an Authorization header contains a token, or any text that should be one. Other schemes are for a proxy in
 * front, and browsers send them with each request. Servers of social networks sign what they fetch, and send notifications
 * (Web Push) to the URL that a user names. Apple Wallet registers a pass at the URL that the pass names.
 */
export const isToken = (authorization = '') =>
  /^(?!\s*$|(?:basic|digest|negotiate|ntlm|signature|vapid|webpush|applepass) )/i.test(authorization)

/**
 * A JWT, or another scheme than Bearer: servers prove with it who they are, also to a URL that somebody else named (Google
 * Pub/Sub and Cloud Tasks, bots of Microsoft, S3, OAuth 1). No token of this service has this form.
 */
export const isProofOfServer = (authorization = '') =>
  /^(?:(?!Bearer )[a-z][\w-]* |Bearer +eyJ[\w-]+\.[\w-]+\.[\w.-]*$)/i.test(authorization)

/** What a person, a shell or a CI job should have replaced by a token: `$TOKEN`, `<token>`, `***`, or nothing. */
const PLACEHOLDER =
  /^Bearer *(?:["']?(?:\$(?:env:)?\w+|\$\{(?:env[.:])?\w+\}|\$?\{\{[\w .-]*\}\}|\$\(cat (?!\S*etc\/)[\w./~-]+\)|%\w+%|undefined|null|none|\*{3,}|x{3,}|<?(?:\w[\w -]*)?token(?:[ _-]here)?>?)["']?)?$/i

export const isPlaceholder = (authorization: string | undefined) => PLACEHOLDER.test(authorization ?? '')

/** Whether an operator sent the header, although its token may be mistyped, quoted, revoked, missing, or a client key. */
export const isMeantAsToken = (authorization = '') => /mngc?_/.test(authorization) || isPlaceholder(authorization)

const withoutHash = ({ hash: _, ...token }: TokenRecord): Token => token

// A link that signs in to the dashboard once, for the operator who started the service on a terminal.

const LINK_PREFIX = 'mngl_'
const LINK_LIFETIME_MS = 10 * 60_000
/** A working day. */
const SESSION_LIFETIME_MS = 12 * 3_600_000
const LABEL = 'sign-in link'

export type SignInLinks = ReturnType<typeof createSignInLinks>

/** The link is in memory: a restart makes it invalid. */
export function createSignInLinks(tokens: Tokens, { clock = Date.now }: { clock?: Clock } = {}) {
  let link: { readonly hash: string; readonly createdAt: number } | undefined

  const removeOldSessions = async () => {
    const old = (await tokens.list()).filter(({ label, expiresAt }) => label === LABEL && (expiresAt ?? 0) <= clock())
    // Another process may have removed it.
    for (const { id } of old) await tokens.revoke(id).catch(() => {})
  }

  return {
    /** Replaces the link that was created before. */
    create(): string {
      const { secret, hash } = createSecret(LINK_PREFIX)
      link = { hash, createdAt: clock() }
      return secret
    },

    /** Creates a token for the session. Undefined: the link is unknown, was used, or has expired. */
    async redeem(secret: string): Promise<{ secret: string } | undefined> {
      const found = link
      if (!found || !isSecretOf(found.hash, secret)) return undefined
      // Before anything waits: of two requests at once, only one may use it.
      link = undefined
      // Abs: after the clock was set back, a link from the future would be valid for too long.
      if (Math.abs(clock() - found.createdAt) >= LINK_LIFETIME_MS) return undefined
      try {
        await removeOldSessions()
        return await tokens.create(LABEL, scopes, clock() + SESSION_LIFETIME_MS)
      } catch (error) {
        // The store is unavailable: the link was not used.
        link ??= found
        throw error
      }
    },
  }
}
