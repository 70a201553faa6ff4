import Type from 'typebox'
import { UnknownFile } from '../../errors/index.ts'
import type { SignInLinks } from '../../features/access/index.ts'
import type { Content } from '../../features/content/index.ts'
import type { Version } from '../../features/developer/index.ts'
import type { ApiDescription } from '../api/api-description.ts'
import { buildRandomRoutes } from '../api/random/routes.ts'
import { cache, text } from '../kernel/replies.ts'
import { get, type Route } from '../kernel/route.ts'
import { type AccessPage, accessRoute } from './access/page.ts'
import { llmsRoute } from './agents/llms-txt.ts'
import { mcpRoute } from './agents/mcp.ts'
import { buildDocsRoutes } from './docs/page.ts'
import { frontRoute } from './front/page.ts'
import { createGuideReader } from './guides/guide.ts'
import { guideRoutes } from './guides/page.ts'
import type { SiteLimits } from './guides/tables.ts'
import { createNotFoundPage } from './not-found/page.ts'
import { type OperatorPage, operatorRoute } from './operator/page.ts'
import { signInRoute } from './operator/sign-in.ts'
import { playgroundRoute } from './playground/page.ts'
import { type SecurityContact, securityRoute } from './security-txt.ts'
import { shareRoutes } from './share/page.ts'
import { Assets } from './shared/assets.ts'
import { createInternalRequests } from './shared/internal-request.ts'
import { createLayout, LOGO_PNG, SITE_ASSETS } from './shared/layout.ts'

interface SiteServices {
  readonly content: Content
  readonly version: Version
  readonly startedAt: Date
  readonly signInLinks: SignInLinks
}

export type { SiteLimits } from './guides/tables.ts'

export interface SiteOptions extends AccessPage, OperatorPage {
  /** The folder with the built scripts and styles. */
  readonly siteDir: string
  readonly apiDescription: ApiDescription
  readonly limits: SiteLimits
  readonly security: SecurityContact
  /** Whether `/mcp` exists. */
  readonly hasMcp: boolean
}

/** All pages, their assets, and files for crawlers, agents and security researchers; and the page of a 404. */
export function buildPages(services: SiteServices, options: SiteOptions) {
  const { content, startedAt } = services
  const { version } = services.version
  const assets = new Assets(options.siteDir, SITE_ASSETS, '/')
  const news = options.access === 'open' ? `api/v5/${options.appName}/launcher/news` : undefined
  const layout = createLayout(assets, { version, news })
  const requestInternally = createInternalRequests(buildRandomRoutes(content))
  const readGuides = createGuideReader(options.siteDir)
  const routes: Route[] = [
    ...buildDocsRoutes(options.siteDir),
    frontRoute({ content, requestInternally, layout, version, startedAt, limits: options.limits }),
    playgroundRoute({ content, assets, layout }),
    ...shareRoutes(layout),
    accessRoute(options, layout),
    ...guideRoutes({ content, ...options }, readGuides, layout),
    llmsRoute(options.apiDescription, readGuides, options.hasMcp),
    ...(options.hasMcp ? [mcpRoute({ content, requestInternally, readGuides, version })] : []),
    operatorRoute(options, layout),
    signInRoute(services.signInLinks),
    robotsRoute(),
    // Without a contact the path does not exist: the file must name one.
    ...(options.security.contacts.length > 0 ? [securityRoute(options.security)] : []),
    iconRoute(),
    get('/site/:asset', {
      tag: 'Pages',
      summary: 'Scripts, styles and the font of the pages',
      description: 'Nothing is loaded from other hosts.',
      params: { asset: Type.Enum([...SITE_ASSETS], { description: 'Name of the file.' }) },
      query: {
        v: Type.String({
          description: 'Digest of the file. With the current digest, the reply can be cached for a year.',
        }),
      },
      otherTypes: ['text/javascript', 'text/css', 'font/woff2', 'text/plain'],
      textExamples: { 'text/plain': 'SIL OPEN FONT LICENSE Version 1.1 - 26 February 2007' },
      errors: [UnknownFile],
      handle: (ctx) => assets.reply(ctx.params.asset, ctx.query.v),
    }),
  ]
  return { routes, renderErrorPage: createNotFoundPage(layout, routes) }
}

// Playground pages link to each other without end, and every random reply is new: a crawler would never finish.
const ROBOTS = `User-agent: *
Disallow: /api/
Disallow: /playground?
Disallow: /docs/search?
Disallow: /operator
`

/** Browsers request it for pictures and JSON, which cannot name an icon. */
function iconRoute(): Route {
  const headers = ['Location', `${LOGO_PNG}?size=64`, 'Cache-Control', cache.short]
  // Linters of the OpenAPI document expect a reply other than a redirect.
  const spec = { tag: 'Pages', summary: 'Icon of the service', status: 302, isListed: false }
  return get('/favicon.ico', { ...spec, handle: () => ({ status: 302, headers, length: 0, body: undefined }) })
}

function robotsRoute(): Route {
  const reply = text(ROBOTS, 'text/plain; charset=utf-8', { cache: cache.short })
  return get('/robots.txt', {
    tag: 'Pages',
    summary: 'Rules for crawlers',
    description: 'Excludes the API, the dashboard, and pages with an unlimited number of URLs.',
    otherTypes: ['text/plain'],
    textExamples: { 'text/plain': ROBOTS },
    handle: () => reply,
  })
}
