// All routes of the service.
import type { Blocklist } from '../features/blocklist/index.ts'
import type { Content } from '../features/content/index.ts'
import type { Images } from '../features/images/index.ts'
import { buildAboutRoutes, type Described } from '../http/api/about.ts'
import { type AppServices, buildAppRoutes } from '../http/api/app/routes.ts'
import { buildDeveloperRoutes, type DeveloperServices } from '../http/api/developer.ts'
import { buildFilterRoutes } from '../http/api/filters/routes.ts'
import { buildHealthRoutes } from '../http/api/health.ts'
import { buildMediaRoutes } from '../http/api/media.ts'
import { buildMetricsRoute, type MetricsOptions } from '../http/api/metrics.ts'
import { buildOperatorRoutes, type OperatorServices } from '../http/api/operator/routes.ts'
import { buildRandomRoutes } from '../http/api/random/routes.ts'
import { type Route, under } from '../http/kernel/route.ts'
import { DOCS_ASSETS, docs } from '../http/pages/docs/page.ts'
import { type SiteLimits, site } from '../http/pages/index.ts'
import { Assets } from '../http/pages/shared/assets.ts'
import type { ServiceProblem } from '../platform/logging/index.ts'

export interface RouteServices extends DeveloperServices, AppServices, OperatorServices {
  readonly blocklist: Blocklist
  readonly content: Content
  readonly images: Images
  readonly problems: () => readonly ServiceProblem[]
}

export interface RouteOptions {
  readonly appName: string
  readonly access: 'open' | 'registered'
  /** The built scripts and styles of the pages. */
  readonly siteDir: string
  readonly described: Described
  readonly metrics: MetricsOptions
  /** Shown in the guides. */
  readonly limits: SiteLimits
}

/** In the order of the API reference: what most people look for comes first. */
export function buildRoutes(services: RouteServices, options: RouteOptions): Route[] {
  const { appName, access, siteDir, described } = options
  const { content, images } = services
  const app = `/api/v5/${appName}`
  return [
    ...buildRandomRoutes(content),
    ...buildMediaRoutes(content),
    ...buildFilterRoutes(images),
    ...buildAppRoutes(services, { access, prefix: app }),
    ...buildAboutRoutes(services.version.version, described),
    ...buildDeveloperRoutes(services),
    ...under(`${app}/operator`, buildOperatorRoutes(services)),
    ...buildHealthRoutes(services.problems),
    buildMetricsRoute(options.metrics),
    ...docs(new Assets(siteDir, DOCS_ASSETS, '/docs')),
    ...site(services, options),
  ]
}
