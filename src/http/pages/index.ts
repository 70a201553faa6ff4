import Type from 'typebox'
import { UnknownFile } from '../../errors/index.ts'
import type { Content } from '../../features/content/index.ts'
import type { Version } from '../../features/developer/index.ts'
import type { Described } from '../api/about.ts'
import { random } from '../api/random/v2.ts'
import { get, type Route } from '../kernel/route.ts'
import { type AccessPage, accessPage } from './access/page.ts'
import { front } from './front/page.ts'
import type { SiteLimits } from './guides/limits.ts'
import { guides } from './guides/page.ts'
import { operatorPage } from './operator/page.ts'
import { playground } from './playground/page.ts'
import { robots } from './robots.ts'
import { Assets } from './shared/assets.ts'
import { createLayout, SITE_ASSETS } from './shared/layout.ts'
import { createAskOwn } from './shared/own-reply.ts'

export interface SiteServices {
  readonly content: Content
  readonly version: Version
  readonly startedAt: Date
}

export type { SiteLimits } from './guides/limits.ts'

export interface SiteOptions extends AccessPage {
  /** Where the build left the scripts of the pages. */
  readonly siteDir: string
  readonly described: Described
  readonly limits: SiteLimits
}

/** The pages for people. */
export function site({ content, version: { version }, startedAt }: SiteServices, options: SiteOptions): Route[] {
  const assets = new Assets(options.siteDir, SITE_ASSETS, '/')
  const layout = createLayout(assets, version)
  const ask = createAskOwn(random(content))
  return [
    front({ content, ask, layout, version, startedAt }),
    playground({ content, ask, layout }),
    accessPage(options, layout),
    ...guides({ content, ...options }, layout),
    operatorPage(options.appName, layout),
    robots(),
    get(
      '/site/:asset',
      {
        tag: 'Pages',
        summary: 'Scripts and styles of the pages',
        params: { asset: Type.Enum([...SITE_ASSETS]) },
        query: { v: Type.String({ description: 'Digest of the file; with the right one it may be kept for ever.' }) },
        otherTypes: ['text/javascript', 'text/css'],
        errors: [UnknownFile],
      },
      (exchange) => assets.reply(exchange.params.asset, exchange, exchange.query.v),
    ),
  ]
}
