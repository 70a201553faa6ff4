import { Banned } from '../../errors/index.ts'
import { type Bans, detectAttack, parseBearerToken, type Tokens } from '../../features/access/index.ts'
import { isCrossSite } from './cross-site.ts'
import { createPrefixMatcher } from './path-prefix.ts'
import type { RequestContext } from './request-context.ts'

/** Stands before everything else: asked before a request is even routed. */
export type BanGate = (ctx: RequestContext) => void | Promise<void>

export interface GateOptions {
  readonly bans: Bans
  readonly tokens: Tokens
  /** Where the authenticated endpoints begin. */
  readonly operatorPath: string
  /** Told of each request that a ban turns away. */
  readonly onRefused?: () => void
}

/** A token that holds or held: its bearer may be mistaken, but attacks nothing. */
export async function hasKnownToken(tokens: Tokens, authorization: string | undefined): Promise<boolean> {
  const text = parseBearerToken(authorization)
  return text !== undefined && (await tokens.verify(text).catch(() => undefined)) !== undefined
}

export function createBanGate({ bans, tokens, operatorPath, onRefused }: GateOptions): BanGate {
  const belowOperator = createPrefixMatcher(operatorPath)

  const refuseIfBanned = ({ client }: RequestContext) => {
    const ban = bans.find(client)
    if (!ban) return
    onRefused?.()
    throw new Banned(new Date(ban.until).toISOString())
  }

  return (ctx) => {
    if (bans.count > 0) refuseIfBanned(ctx)
    const asked = belowOperator(ctx.request.url ?? '')
    if (asked === undefined) return undefined
    const intent = detectAttack(asked)
    if (intent === undefined || isCrossSite(ctx)) return undefined
    return (async () => {
      if (await hasKnownToken(tokens, ctx.header('authorization'))) return
      await bans.banAttacker(ctx.client, intent)
      refuseIfBanned(ctx)
    })()
  }
}
