import { randomUUID } from 'node:crypto'
import { Type } from 'typebox'
import { InvalidBody, TokenInvalid, TokenRequired, TokenScopeMissing, UnknownToken } from '../../errors/index.ts'
import type { Clock, Scope, TokenRecord, Tokens as TokenStore } from '../../platform/store/index.ts'
import { createKnown } from './revision-cache.ts'
import { holderOf, makeSecret } from './secret.ts'
import { readWords, words } from './text-fields.ts'

const TOKEN_PREFIX = 'mng_'
/** The last use is for people; once a minute is precise enough. */
const USED_EVERY_MS = 60_000

export const scopes = ['read', 'write'] as const satisfies Scope[]

const TokenWish = Type.Object({ label: words(1, 64) })

/** A token as it may be shown: without its hash. */
export type Token = Omit<TokenRecord, 'hash'>

export interface Tokens {
  /** The text of the token is in this answer and nowhere else. */
  create(label: string, scopes: readonly Scope[], expiresAt: number | null): Promise<{ text: string; token: Token }>
  list(): Promise<Token[]>
  /** In force on every node within a second. */
  revoke(id: string): Promise<void>
  /** Whose token it is; undefined for one that never was or was revoked. An expired one is told apart: it is no attack. */
  verify(text: string): Promise<{ token: Token; expired: boolean } | undefined>
  /** Checks the Authorization header; throws what the caller is to be told. */
  authenticate(authorization: string | undefined, scope: Scope): Promise<Token>
}

export function createTokens(store: TokenStore, { clock = Date.now }: { clock?: Clock } = {}): Tokens {
  const known = createKnown({
    revision: store.revision,
    load: async () => new Map((await store.list()).map((token) => [token.hash, token])),
    // A token opens the operator's endpoints: while nobody can say that it still holds, it does not.
    keepWhenAway: false,
  })
  const usedAt = new Map<string, number>()

  const noteUse = ({ id, lastUsedAt }: Token) => {
    const now = clock()
    if (now - (usedAt.get(id) ?? lastUsedAt ?? 0) < USED_EVERY_MS) return
    usedAt.set(id, now)
    store.used(id, now).catch(() => usedAt.delete(id))
  }

  const verify: Tokens['verify'] = async (text) => {
    const record = holderOf(await known.current(), ({ hash }) => hash, text)
    return record && { token: shown(record), expired: record.expiresAt !== null && record.expiresAt <= clock() }
  }

  return {
    async create(label, wanted, expiresAt) {
      if (wanted.length === 0 || !wanted.every((scope) => scopes.includes(scope))) {
        throw new InvalidBody(`"scopes" must be one or more of ${scopes.join(', ')}.`, {
          field: 'scopes',
          allowed: scopes,
        })
      }
      if (expiresAt !== null && !(expiresAt > clock())) {
        throw new InvalidBody('"expiresAt" must lie in the future.', { field: 'expiresAt' })
      }
      const { secret, hash } = makeSecret(TOKEN_PREFIX)
      const record: TokenRecord = {
        id: randomUUID().slice(0, 8),
        ...readWords(TokenWish, { label }),
        hash,
        scopes: scopes.filter((scope) => wanted.includes(scope)),
        createdAt: clock(),
        expiresAt,
        lastUsedAt: null,
      }
      await store.put([record])
      known.doubt()
      return { text: secret, token: shown(record) }
    },
    list: async () => (await store.list()).map(shown),
    async revoke(id) {
      if (!(await store.remove(id))) throw new UnknownToken(id)
      known.doubt()
      usedAt.delete(id)
    },
    verify,
    async authenticate(authorization, scope) {
      const text = bearerOf(authorization)
      if (text === undefined) throw new TokenRequired()
      const found = await verify(text)
      if (!found || found.expired) throw new TokenInvalid()
      if (!found.token.scopes.includes(scope)) throw new TokenScopeMissing(scope)
      noteUse(found.token)
      return found.token
    },
  }
}

/** The token in an Authorization header. */
export const bearerOf = (authorization: string | undefined): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]

const shown = ({ hash: _, ...token }: TokenRecord): Token => token
