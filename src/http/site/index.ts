import Type from 'typebox'
import type { Content } from '../../content/index.ts'
import type { Version } from '../../developer/index.ts'
import { UnknownFile } from '../../errors.ts'
import type { Described } from '../about.ts'
import { get, type Route } from '../route.ts'
import * as v2 from '../v2/index.ts'
import { type AccessPage, accessPage } from './access.ts'
import { Assets } from './assets.ts'
import { front } from './front.ts'
import type { SiteLimits } from './guides/limits.ts'
import { guides } from './guides.ts'
import { createLayout, SITE_ASSETS } from './layout.ts'
import { operatorPage } from './operator.ts'
import { createAskOwn } from './own-reply.ts'
import { playground } from './playground.ts'
import { robots } from './robots.ts'

export interface SiteRooms {
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
export function site({ content, version: { version }, startedAt }: SiteRooms, options: SiteOptions): Route[] {
  const assets = new Assets(options.siteDir, SITE_ASSETS, '/')
  const layout = createLayout(assets, version)
  const ask = createAskOwn(v2.random(content))
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
