// A link that signs in to the dashboard once, for the operator who started the service on a terminal.
import type { Clock } from '../../platform/store/index.ts'
import { createSecret, isSecretOf } from './secrets.ts'
import { scopes, type Tokens } from './tokens.ts'

const LINK_PREFIX = 'mngl_'
const LINK_LIFETIME_MS = 10 * 60_000
/** A working day. */
const SESSION_LIFETIME_MS = 12 * 3_600_000
const LABEL = 'sign-in link'

export type SignInLinks = ReturnType<typeof createSignInLinks>

/** The link is in memory: a restart makes it invalid. */
export function createSignInLinks(tokens: Tokens, { clock = Date.now }: { clock?: Clock } = {}) {
  let link: { readonly hash: string; readonly expiresAt: number } | undefined

  const removeOldSessions = async () => {
    const old = (await tokens.list()).filter(({ label, expiresAt }) => label === LABEL && (expiresAt ?? 0) <= clock())
    // Another process may have removed it.
    for (const { id } of old) await tokens.revoke(id).catch(() => {})
  }

  return {
    /** Replaces the link that was created before. */
    create(): string {
      const { secret, hash } = createSecret(LINK_PREFIX)
      link = { hash, expiresAt: clock() + LINK_LIFETIME_MS }
      return secret
    },

    /** Creates a token for the session. Undefined: the link is unknown, was used, or has expired. */
    async redeem(secret: string): Promise<{ secret: string } | undefined> {
      const found = link
      if (!found || !isSecretOf(found.hash, secret)) return undefined
      // Before anything waits: of two requests at once, only one may use it.
      link = undefined
      if (found.expiresAt <= clock()) return undefined
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
