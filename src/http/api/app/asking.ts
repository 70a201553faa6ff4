// Who asks, and how long and by whom the answer may be kept.
import Type from 'typebox'
import { InvalidParameter } from '../../../errors/index.ts'
import { toClientAddress } from '../../../features/access/index.ts'
import type { Releases } from '../../../features/releases/index.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import type { Route } from '../../kernel/route.ts'

type AnyExchange = RequestContext<unknown, unknown>

/** What one installation of the launcher is known by. It is hashed for staged rollouts, and neither kept nor logged. */
const INSTALL_ID = 'X-Install-Id'
/** What electron-updater sends of its own accord, for the same purpose. */
const ELECTRON_ID = 'X-User-Staging-Id'
/** Where clients are answered differently, their own caches have to tell them apart by these. */
export const VARY_BY_CLIENT = ['Vary', `${INSTALL_ID}, ${ELECTRON_ID}, X-Client-Key`]

const pattern = '^[A-Za-z0-9._-]{1,100}$'
const wellFormed = new RegExp(pattern)

/**
 * Lets a route be told which installation asks. A wrong id is refused also while nothing is staged: a launcher that sends
 * one hears of it when it is made, not when its users need an update.
 */
export const forInstallations = (route: Route): Route => ({
  ...route,
  headers: {
    [INSTALL_ID]: Type.String({
      pattern,
      description:
        'Any text that stays the same for one installation, such as a UUID made at its first start. It decides about ' +
        'staged rollouts, and is neither kept nor logged. Without it the key and the address decide.',
    }),
  },
  errors: [...(route.errors ?? []), InvalidParameter],
  handle: (ctx) => {
    const id = ctx.header('x-install-id')
    if (id !== undefined && !wellFormed.test(id)) {
      throw new InvalidParameter(INSTALL_ID, '1 to 100 letters, digits, dots, dashes and underscores', { max: 100 })
    }
    return route.handle(ctx)
  },
})

/**
 * What stays the same for one client, and decides about staged rollouts: what the installation calls itself, or else key
 * and network together, because one key may be in every copy of a launcher. Where nothing is staged all clients are
 * answered alike, and nobody has to be told apart.
 */
export function clientOf(releases: Releases, application: string, ctx: AnyExchange): string {
  if (!releases.isStaged(application)) return ''
  const id = ctx.header('x-install-id') ?? ctx.header('x-user-staging-id')
  return id ?? `${ctx.header('x-client-key') ?? ''} ${toClientAddress(ctx.client)}`
}

export type Asking = ReturnType<typeof createAsking>

/** `prefix` is the path of the application's part of the API. */
export const createAsking = (releases: Releases, prefix: string) => ({
  base: ({ baseUrl }: AnyExchange) => baseUrl + prefix,
  client: (application: string, ctx: AnyExchange) => clientOf(releases, application, ctx),
})
