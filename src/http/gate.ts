import { Banned, TokenInvalid } from '../errors.ts'
import { type Bans, intentOf, type Tokens } from '../guard/index.ts'
import type { Exchange } from './exchange.ts'

/** Stands before everything else: asked before a request is even routed. */
export type Gate = (exchange: Exchange) => void | Promise<void>

export interface GateOptions {
  readonly bans: Bans
  readonly tokens: Tokens
  /** Where the authenticated endpoints begin. */
  readonly operatorPath: string
}

export function createGate({ bans, tokens, operatorPath }: GateOptions): Gate {
  const refuseIfBanned = ({ client }: Exchange) => {
    const ban = bans.of(client)
    if (ban) throw new Banned(new Date(ban.until).toISOString())
  }

  /** The operator's own requests are never taken for an attack. */
  const bearsToken = async (exchange: Exchange) => {
    const text = /^Bearer +(\S+)$/i.exec(exchange.header('authorization') ?? '')?.[1]
    return text !== undefined && (await tokens.verify(text).catch(() => undefined)) !== undefined
  }

  return (exchange) => {
    if (bans.count > 0) refuseIfBanned(exchange)
    const { url = '' } = exchange.request
    if (!url.startsWith(operatorPath)) return undefined
    const intent = intentOf(url.slice(operatorPath.length))
    if (intent === undefined) return undefined
    return (async () => {
      if (await bearsToken(exchange)) return
      await bans.attack(exchange.client, intent)
      refuseIfBanned(exchange)
    })()
  }
}

/** Counts a token that never was or was revoked; an expired one is a mistake, not an attack. */
export async function strikeWrongToken(
  error: unknown,
  exchange: Exchange,
  { bans, tokens }: Omit<GateOptions, 'operatorPath'>,
) {
  if (!(error instanceof TokenInvalid)) return
  const text = /^Bearer +(\S+)/i.exec(exchange.header('authorization') ?? '')?.[1] ?? ''
  const known = await tokens.verify(text)
  if (!known) await bans.wrongToken(exchange.client)
}
