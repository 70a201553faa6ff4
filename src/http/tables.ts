// Every route of the service: the tables of the versions, and what stands around them.
import type { Blocklist } from '../blocklist/index.ts'
import type { Content } from '../content/index.ts'
import type { Images } from '../images/index.ts'
import type { Counter } from '../store/index.ts'
import { about, type Described } from './about.ts'
import { health, type Problem } from './health.ts'
import { type MetricsOptions, metrics } from './metrics.ts'
import { media } from './random/media.ts'
import { type Route, under } from './route.ts'
import { Assets } from './site/assets.ts'
import { DOCS_ASSETS, docs } from './site/docs.ts'
import { type SiteLimits, site } from './site/index.ts'
import { type DeveloperRooms, developer } from './v1/developer.ts'
import * as v1 from './v1/index.ts'
import * as v2 from './v2/index.ts'
import { guarded } from './v5/access.ts'
import { forInstallations } from './v5/asking.ts'
import { clientRoutes } from './v5/clients.ts'
import { downloadRoutes } from './v5/download.ts'
import { type OperatorRooms, operatorRoutes } from './v5/operator.ts'
import { type AppRooms, appRoutes } from './v5/routes.ts'

export interface TableRooms extends DeveloperRooms, AppRooms, OperatorRooms {
  readonly blocklist: Blocklist
  readonly content: Content
  readonly images: Images
  readonly counter: Counter
  readonly problems: () => readonly Problem[]
}

export interface TableOptions {
  readonly appName: string
  readonly access: 'open' | 'registered'
  /** Where the build left the scripts of the pages. */
  readonly siteDir: string
  readonly described: Described
  readonly metrics: MetricsOptions
  /** As the guides tell them. */
  readonly limits: SiteLimits
}

/**
 * In the order of the reference: what most people come for is first. Kinds of content are part of the description, so the
 * tables are laid again when those change.
 */
export function layTables(rooms: TableRooms, options: TableOptions): Route[] {
  const { appName, access, siteDir, described } = options
  const { content, images, releases, counter, clients } = rooms
  const app = `/api/v5/${appName}`
  const downloads = downloadRoutes(releases, counter).map(forInstallations)
  return [
    ...v1.random(content),
    ...v2.random(content),
    ...media(content),
    ...v1.filter(images),
    ...v2.filter(images),
    ...under(app, guarded({ mode: access, clients }, [...appRoutes(rooms, app), ...downloads])),
    ...under(app, clientRoutes(clients)),
    ...about(rooms.version.version, described),
    ...developer(rooms),
    ...under(`${app}/operator`, operatorRoutes(rooms)),
    ...health(rooms.problems),
    ...metrics(options.metrics),
    ...docs(new Assets(siteDir, DOCS_ASSETS, '/docs')),
    ...site(rooms, options),
  ]
}
