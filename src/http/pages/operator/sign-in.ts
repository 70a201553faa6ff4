import Type from 'typebox'
import { BodyTooLarge, InvalidBody, SignInRefused, StoreUnavailable } from '../../../errors/index.ts'
import type { SignInLinks } from '../../../features/access/index.ts'
import { classifyAddress } from '../../../platform/net/index.ts'
import { readValidBody } from '../../api/operator/publish.ts'
import { uncachedReply } from '../../api/operator/scopes.ts'
import { hasForwardedHeader, type RequestContext, readPeerAddress } from '../../kernel/request-context.ts'
import { post, type Route } from '../../kernel/route.ts'
import { SuccessReply } from '../../kernel/schemas.ts'
import { isLoopbackName } from './transport.ts'

const Link = Type.Object({
  link: Type.String({ maxLength: 200, description: 'The part of the sign-in link after `#sign-in=`.' }),
})

/** Exchanges the sign-in link for a token. The link is in the body, so that it is in no log. */
export function signInRoute(links: SignInLinks): Route {
  const route = post('/operator/sign-in', {
    tag: 'Pages',
    summary: 'Sign in to the dashboard with a link',
    description: 'For the dashboard. A link works once, on the machine of the service, and not through a proxy.',
    body: Link,
    reply: SuccessReply({
      secret: Type.String({
        description: 'The value of a token that expires after 12 hours.',
        examples: ['mng_Vb2nM5kQ8wE1rT4yU7iO0pA3sD6fG9hJ2lZ5xC8vB1n'],
      }),
    }),
    errors: [SignInRefused, InvalidBody, BodyTooLarge, StoreUnavailable],
    handle: async (ctx) => {
      const { link } = await readValidBody(ctx, Link)
      const session = await links.redeem(link)
      if (!session) throw new SignInRefused('it was used, has expired, or belongs to an earlier start of the service')
      return uncachedReply({ secret: session.secret })
    },
  })
  return { ...route, admit: assertLocal }
}

/**
 * A proxy on this machine makes every client seem local: its headers reveal it, and so does the origin of the page. A page
 * of another site has another origin, or a host that is not a name of this machine (DNS rebinding).
 */
function assertLocal(ctx: RequestContext): void {
  if (classifyAddress(readPeerAddress(ctx.request)) !== 'loopback')
    throw new SignInRefused('this request comes from another machine')
  if (hasForwardedHeader(ctx.request)) throw new SignInRefused('this request was forwarded by a proxy')
  const host = ctx.header('host') ?? ''
  if (!isLoopbackName(URL.parse(`http://${host}`)?.hostname ?? ''))
    throw new SignInRefused('the host is not a name of this machine: use 127.0.0.1 or localhost')
  const site = ctx.header('sec-fetch-site') ?? 'same-origin'
  if (ctx.header('origin') !== `http://${host}` || site !== 'same-origin')
    throw new SignInRefused('this request does not come from the dashboard')
}
