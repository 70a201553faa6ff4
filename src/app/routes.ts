// Every route of the service: the tables of the versions, and what stands around them.
import type { Blocklist } from '../features/blocklist/index.ts'
import type { Content } from '../features/content/index.ts'
import type { Images } from '../features/images/index.ts'
import { about, type Described } from '../http/api/about.ts'
import { guarded } from '../http/api/app/access.ts'
import { forInstallations } from '../http/api/app/asking.ts'
import { clientRoutes } from '../http/api/app/clients.ts'
import { downloadRoutes } from '../http/api/app/download.ts'
import { type AppServices, appRoutes } from '../http/api/app/routes.ts'
import { type DeveloperServices, developer } from '../http/api/developer/routes.ts'
import { filter as filterV1 } from '../http/api/filters/v1.ts'
import { filter as filterV2 } from '../http/api/filters/v2.ts'
import { health } from '../http/api/health.ts'
import { media } from '../http/api/media.ts'
import { type MetricsOptions, metrics } from '../http/api/metrics.ts'
import { buildOperatorRoutes, type OperatorServices } from '../http/api/operator/routes.ts'
import { random as randomV1 } from '../http/api/random/v1.ts'
import { random as randomV2 } from '../http/api/random/v2.ts'
import { type Route, under } from '../http/kernel/route.ts'
import { DOCS_ASSETS, docs } from '../http/pages/docs/page.ts'
import { type SiteLimits, site } from '../http/pages/index.ts'
import { Assets } from '../http/pages/shared/assets.ts'
import type { ServiceProblem } from '../platform/logging/index.ts'
import type { Counter } from '../platform/store/index.ts'

export interface RouteServices extends DeveloperServices, AppServices, OperatorServices {
  readonly blocklist: Blocklist
  readonly content: Content
  readonly images: Images
  readonly counter: Counter
  readonly problems: () => readonly ServiceProblem[]
}

export interface RouteOptions {
  readonly appName: string
  readonly access: 'open' | 'registered'
  /** Where the build left the scripts of the pages. */
  readonly siteDir: string
  readonly described: Described
  readonly metrics: MetricsOptions
  /** As the guides tell them. */
  readonly limits: SiteLimits
}

/** In the order of the API reference: what most people look for comes first. */
export function buildRoutes(services: RouteServices, options: RouteOptions): Route[] {
  const { appName, access, siteDir, described } = options
  const { content, images, releases, counter, clients } = services
  const app = `/api/v5/${appName}`
  const downloads = downloadRoutes(releases, counter).map(forInstallations)
  return [
    ...randomV1(content),
    ...randomV2(content),
    ...media(content),
    ...filterV1(images),
    ...filterV2(images),
    ...under(app, guarded({ mode: access, clients }, [...appRoutes(services, app, access), ...downloads])),
    ...under(app, clientRoutes(clients)),
    ...about(services.version.version, described),
    ...developer(services),
    ...under(`${app}/operator`, buildOperatorRoutes(services)),
    ...health(services.problems),
    ...metrics(options.metrics),
    ...docs(new Assets(siteDir, DOCS_ASSETS, '/docs')),
    ...site(services, options),
  ]
}
