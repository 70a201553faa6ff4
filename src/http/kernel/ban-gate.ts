import { Banned } from '../../errors/index.ts'
import {
  type Bans,
  detectAttack,
  detectAttackInHeaders,
  parseBearerToken,
  type Tokens,
} from '../../features/access/index.ts'
import { hasLoopMark } from '../../platform/net/index.ts'
import { mayBeUnintended, type RequestContext } from './request-context.ts'

/** Rejects banned clients and bans attackers, before a request is routed. */
export type BanGate = (ctx: RequestContext) => void | Promise<void>

export interface BanGateOptions {
  readonly bans: Bans
  readonly tokens: Tokens
  /** The common prefix of the authenticated endpoints. */
  readonly operatorPath: string
  /** Called for each request of a banned client. */
  readonly onRefused?: () => void
}

/** A valid or expired token: its owner may make mistakes, but is no attacker. */
export async function hasKnownToken(tokens: Tokens, authorization: string | undefined): Promise<boolean> {
  const text = parseBearerToken(authorization)
  return text !== undefined && (await tokens.verify(text).catch(() => undefined)) !== undefined
}

export function createBanGate({ bans, tokens, operatorPath, onRefused }: BanGateOptions): BanGate {
  const matchOperatorPath = createPrefixMatcher(operatorPath)

  const rejectIfBanned = ({ client }: RequestContext) => {
    const ban = bans.find(client)
    if (!ban) return
    onRefused?.()
    throw new Banned(new Date(ban.until).toISOString())
  }

  const banAttacker = async (ctx: RequestContext, attack: string) => {
    if (await hasKnownToken(tokens, ctx.header('authorization'))) return
    await bans.banAttacker(ctx.client, attack)
    rejectIfBanned(ctx)
  }

  return (ctx) => {
    rejectIfBanned(ctx)
    const rest = matchOperatorPath(ctx.url)
    if (rest === undefined) return undefined
    const attack = detectAttack(rest) ?? detectAttackInHeaders(ctx.request.headers)
    return attack !== undefined && isBannable(ctx) ? banAttacker(ctx, attack) : undefined
  }
}

/**
 * False if the sender of a request may not be its author: a browser that follows a link or shows a page of another site,
 * a proxy that all clients share, or a service that fetches an image. Such requests are refused without a ban.
 */
export const isBannable = (ctx: RequestContext): boolean =>
  !mayBeUnintended(ctx) && !ctx.isFromUnnamedProxy() && !hasLoopMark(ctx.request.headers)

/** `%2f` leads to no route, but an attacker who writes it there means a slash. */
const PREFIX_END = /^(?:$|[/?#]|%2f)/i

/**
 * Returns the part of a URL after a path prefix, or undefined for another path. It decodes as the router does, so that
 * no other spelling bypasses it. It runs for every request; nearly all have no percent-encoding in the prefix.
 */
export function createPrefixMatcher(prefix: string): (url: string) => string | undefined {
  return (url) => {
    const percent = url.indexOf('%')
    const isPlain = percent === -1 || percent >= prefix.length
    const path = isPlain ? url : decodePath(url)
    if (!path.startsWith(prefix)) return undefined
    const rest = path.slice(prefix.length)
    return PREFIX_END.test(rest) ? rest : undefined
  }
}

function decodePath(url: string): string {
  const pathEnd = url.search(/[?#]/)
  const path = pathEnd === -1 ? url : url.slice(0, pathEnd)
  try {
    return decodeURI(path) + url.slice(path.length)
  } catch {
    return url
  }
}
