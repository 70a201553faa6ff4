import { randomUUID } from 'node:crypto'
import { Type } from 'typebox'
import { InvalidBody, TokenInvalid, TokenRequired, TokenScopeMissing, UnknownToken } from '../../errors/index.ts'
import type { Clock, Scope, TokenRecord, Tokens as TokenStore } from '../../platform/store/index.ts'
import { createRevisionCache, createSecret, findBySecret } from './secrets.ts'
import { parseTextFields, singleLineText } from './text-fields.ts'

const TOKEN_PREFIX = 'mng_'
/** The time of the last use is shown to people; a precision of one minute is enough. */
const LAST_USE_INTERVAL_MS = 60_000

export const scopes = ['read', 'write'] as const satisfies Scope[]

const TokenFields = Type.Object({ label: singleLineText(1, 64) })

/** A token without its hash. */
export type Token = Omit<TokenRecord, 'hash'>

export interface Tokens {
  /** Returns the text of the token, which is not stored. */
  create(label: string, scopes: readonly Scope[], expiresAt: number | null): Promise<{ text: string; token: Token }>
  list(): Promise<Token[]>
  /** Takes effect on every node within a second. */
  revoke(id: string): Promise<void>
  /** Undefined: unknown or revoked. An expired token is reported, because using it is no attack. */
  verify(text: string): Promise<{ token: Token; expired: boolean } | undefined>
  /** Checks an Authorization header; throws the error for the client. */
  authenticate(authorization: string | undefined, scope: Scope): Promise<Token>
}

export function createTokens(store: TokenStore, { clock = Date.now }: { clock?: Clock } = {}): Tokens {
  const tokensByHash = createRevisionCache({
    revision: store.revision,
    load: async () => new Map((await store.list()).map((token) => [token.hash, token])),
    // A token may have been revoked during an outage, so none is accepted until the store answers.
    keepWhenUnavailable: false,
  })
  const lastUses = new Map<string, number>()

  const recordUse = ({ id, lastUsedAt }: Token) => {
    const now = clock()
    if (now - (lastUses.get(id) ?? lastUsedAt ?? 0) < LAST_USE_INTERVAL_MS) return
    lastUses.set(id, now)
    store.markUsed(id, now).catch(() => lastUses.delete(id))
  }

  const verify: Tokens['verify'] = async (text) => {
    const record = findBySecret(await tokensByHash.get(), ({ hash }) => hash, text)
    return record && { token: withoutHash(record), expired: record.expiresAt !== null && record.expiresAt <= clock() }
  }

  return {
    async create(label, requestedScopes, expiresAt) {
      if (requestedScopes.length === 0 || !requestedScopes.every((scope) => scopes.includes(scope))) {
        throw new InvalidBody(`"scopes" must be one or more of ${scopes.join(', ')}.`, {
          field: 'scopes',
          allowed: scopes,
        })
      }
      if (expiresAt !== null && !(expiresAt > clock())) {
        throw new InvalidBody('"expiresAt" must be in the future.', { field: 'expiresAt' })
      }
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
      tokensByHash.invalidate()
      return { text: secret, token: withoutHash(record) }
    },
    list: async () => (await store.list()).map(withoutHash),
    async revoke(id) {
      if (!(await store.remove(id))) throw new UnknownToken(id)
      tokensByHash.invalidate()
      lastUses.delete(id)
    },
    verify,
    async authenticate(authorization, scope) {
      const text = parseBearerToken(authorization)
      if (text === undefined) throw new TokenRequired()
      const found = await verify(text)
      if (!found || found.expired) throw new TokenInvalid()
      if (!found.token.scopes.includes(scope)) throw new TokenScopeMissing(scope)
      recordUse(found.token)
      return found.token
    },
  }
}

/** The token in an Authorization header. */
export const parseBearerToken = (authorization: string | undefined): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]

const withoutHash = ({ hash: _, ...token }: TokenRecord): Token => token
