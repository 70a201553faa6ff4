import type { Api } from './api.ts'
import type { CallOptions, Connection, QueryOf, ReplyOf } from './connection.ts'
import { type Operator, operator } from './operator.ts'

const V5 = '/api/v5/{app}'
const UPDATES = `GET ${V5}/launcher/updates`
const VERSION = `GET ${V5}/version/app/{application}`
const TIER = `GET ${V5}/version/tier/{tier}`
const DOWNLOAD = `GET ${V5}/download/{application}`
const ASK = `POST ${V5}/clients`

type VersionReply = ReplyOf<typeof VERSION>

export type Application = Api[typeof VERSION]['params']['application']
export type Release = NonNullable<VersionReply['launcher']>
export type UpdatesReply = Extract<ReplyOf<typeof UPDATES>, { success: true }>
export type ClientRequest = Api[typeof ASK]['body']

/** The dedicated application of the service. */
export interface App {
  /** Newest first; with `current` only the newer ones, and whether there are any. */
  updates(options?: QueryOf<typeof UPDATES> & CallOptions): Promise<UpdatesReply>
  news(options?: CallOptions): Promise<ReplyOf<`GET ${typeof V5}/launcher/news`>>
  /** The newest release of an application, under its name. */
  version<A extends Application>(
    application: A,
    options?: QueryOf<typeof VERSION> & CallOptions,
  ): Promise<Omit<VersionReply, Application> & { readonly [Name in A]: Release }>
  resources(options?: CallOptions): Promise<ReplyOf<`GET ${typeof V5}/version/app/launcher/resources`>>
  /** 2 is favorite, 3 is trusted. */
  tier(tier: 2 | 3, options?: CallOptions): Promise<ReplyOf<typeof TIER>>
  /** How often what was downloaded. */
  downloads(options?: CallOptions): Promise<ReplyOf<`GET ${typeof V5}/stats/downloads`>>
  /** Where a download begins, and is counted; asks nothing. */
  downloadUrl(application: Application, wish?: QueryOf<typeof DOWNLOAD>): string
  /** Asks the operator for a client key. */
  askForKey(request: ClientRequest, options?: CallOptions): Promise<ReplyOf<typeof ASK>>
  /** What an operator's token opens. Keep it out of pages that others open. */
  operator(token: string): Operator
}

export function app(connection: Connection, name: string): App {
  const { json } = connection
  const plain = (wish: object | undefined) => ({ params: { app: name }, wish })
  return {
    updates: (options) => json(UPDATES, plain(options)) as Promise<UpdatesReply>,
    news: (options) => json(`GET ${V5}/launcher/news`, plain(options)),
    version: ((application, options) =>
      json(VERSION, { params: { app: name, application }, wish: options })) as App['version'],
    resources: (options) => json(`GET ${V5}/version/app/launcher/resources`, plain(options)),
    tier: (tier, options) => json(TIER, { params: { app: name, tier: `${tier}` }, wish: options }),
    downloads: (options) => json(`GET ${V5}/stats/downloads`, plain(options)),
    downloadUrl: (application, wish) => connection.url(DOWNLOAD, { params: { app: name, application }, wish }),
    askForKey: (body, options) => json(ASK, { ...plain(options), body }),
    operator: (token) => operator(connection, name, token),
  }
}
