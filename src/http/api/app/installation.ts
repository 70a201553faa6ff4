import Type from 'typebox'
import { InvalidParameter } from '../../../errors/index.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import type { Route } from '../../kernel/route.ts'

/** Identifies one installation of the launcher. It is hashed for rollouts and statistics, and neither stored nor logged. */
const INSTALL_ID = 'X-Install-Id'
/** electron-updater sends this header on its own, for the same purpose. */
const ELECTRON_ID = 'X-User-Staging-Id'
/** For replies that differ between installations. */
export const VARY_BY_CLIENT = ['Vary', `${INSTALL_ID}, ${ELECTRON_ID}, X-Client-Key`]

const pattern = '^[A-Za-z0-9._-]{1,100}$'
const installIdFormat = new RegExp(pattern)

/**
 * Adds the header `X-Install-Id` to a route. A malformed id is an error even if no rollout is staged, so that the
 * developer of a launcher notices it at once and not when the users need an update.
 */
export const acceptInstallId = (route: Route): Route => ({
  ...route,
  headers: {
    ...route.headers,
    [INSTALL_ID]: Type.String({
      pattern,
      description:
        'Id of the installation, such as a UUID created at its first start. It decides whether a staged rollout ' +
        'includes the installation, and counts it once per day. It is never stored or logged. Without it, `X-User-Staging-Id` decides, which ' +
        'electron-updater sends; without both, client key and address.',
    }),
  },
  errors: [...(route.errors ?? []), InvalidParameter],
  handle: (ctx) => {
    const id = ctx.header('x-install-id')
    if (id !== undefined && !installIdFormat.test(id)) {
      throw new InvalidParameter(INSTALL_ID, '1 to 100 letters, digits, dots, dashes and underscores', { max: 100 })
    }
    return route.handle(ctx)
  },
})

/** Other texts are ignored: ids wait in memory while the store is unavailable, so they must be short. */
const readId = (ctx: RequestContext, header: string): string | undefined => {
  const id = ctx.header(header)
  return id !== undefined && installIdFormat.test(id) ? id : undefined
}

/**
 * A text that stays the same for one installation: its id, or key and address together, because every copy of a launcher
 * may contain the same key.
 */
export const identifyInstallation = (ctx: RequestContext): string =>
  readId(ctx, 'x-install-id') ??
  readId(ctx, 'x-user-staging-id') ??
  `${readId(ctx, 'x-client-key') ?? ''} ${ctx.clientAddress}`
