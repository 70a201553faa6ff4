// All routes of the service.
import type { SignInLinks } from '../features/access/index.ts'
import { buildApiDescriptionRoutes } from '../http/api/api-description.ts'
import { buildDeveloperRoutes } from '../http/api/developer.ts'
import { buildFilterRoutes } from '../http/api/filters/routes.ts'
import { buildHealthRoutes, buildMetricsRoute, type MetricsOptions } from '../http/api/health.ts'
import { buildMediaRoutes } from '../http/api/media.ts'
import { buildOperatorRoutes, type OperatorServices } from '../http/api/operator/routes.ts'
import { buildProductRoutes } from '../http/api/product/routes.ts'
import { buildRandomRoutes } from '../http/api/random/routes.ts'
import { under } from '../http/kernel/route.ts'
import { buildPages, type SiteOptions } from '../http/pages/index.ts'
import type { Services } from './open-services.ts'

type RouteServices = Services &
  Pick<OperatorServices, 'overview' | 'live' | 'readUsage' | 'reload' | 'problems'> & {
    readonly signInLinks: SignInLinks
  }
type RouteOptions = SiteOptions & { readonly metrics: MetricsOptions }

/** The routes are in the order of the API reference: what most people look for comes first. */
export function buildRoutes(services: RouteServices, options: RouteOptions) {
  const { appName, access, apiDescription } = options
  const { content, images } = services
  const productPath = `/api/v5/${appName}`
  const pages = buildPages(services, options)
  const routes = [
    ...buildRandomRoutes(content),
    ...buildMediaRoutes(content, images),
    ...buildFilterRoutes(images),
    ...buildProductRoutes(services, { access, prefix: productPath }),
    ...buildApiDescriptionRoutes(services.version.version, apiDescription),
    ...buildDeveloperRoutes(services),
    ...under(`${productPath}/operator`, buildOperatorRoutes(services)),
    ...buildHealthRoutes(services.problems),
    buildMetricsRoute(options.metrics),
    ...pages.routes,
  ]
  return { routes, renderErrorPage: pages.renderErrorPage }
}
