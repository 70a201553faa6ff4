import type { Api } from './api.ts'
import type { CallOptions, Connection, QueryOf, ReplyOf } from './connection.ts'
import { type Operator, operator } from './operator.ts'

const V5 = '/api/v5/{app}'
const UPDATES = `GET ${V5}/launcher/updates`
const NEWS = `GET ${V5}/launcher/news`
const VERSIONS = `GET ${V5}/versions`
const VERSION = `GET ${V5}/version/app/{application}`
const TIER = `GET ${V5}/version/tier/{tier}`
const DOWNLOAD = `GET ${V5}/download/{application}`
const REQUEST_KEY = `POST ${V5}/clients`

type VersionReply = ReplyOf<typeof VERSION>

export type Application = Api[typeof VERSION]['params']['application']
export type Release = NonNullable<VersionReply['launcher']>
export type UpdatesReply = Extract<ReplyOf<typeof UPDATES>, { success: true }>
/** `manual`: a person asked for updates, so staged rollouts are ignored. */
export type UpdatesQuery = Omit<QueryOf<typeof UPDATES>, 'manual' | 'target' | 'bundleType'> & {
  readonly manual?: boolean | undefined
}
export type ClientRequest = Api[typeof REQUEST_KEY]['body']

/** The API of the product (v5), with all its applications. */
export interface App {
  /** Releases for `platform` and `arch`, newest first. With `current` only newer ones, and `updateAvailable`. */
  updates(options?: UpdatesQuery & CallOptions): Promise<UpdatesReply>
  /** News, newest first. `lang` chooses translations. */
  news(options?: QueryOf<typeof NEWS> & CallOptions): Promise<ReplyOf<typeof NEWS>>
  /** The newest release of an application, in a field with its name. */
  version<A extends Application>(
    application: A,
    options?: QueryOf<typeof VERSION> & CallOptions,
  ): Promise<Omit<VersionReply, Application> & { readonly [Name in A]: Release }>
  /** The newest version of every application and of the resources. Null if there is none. */
  versions(options?: QueryOf<typeof VERSIONS> & CallOptions): Promise<ReplyOf<typeof VERSIONS>>
  resources(options?: CallOptions): Promise<ReplyOf<`GET ${typeof V5}/version/app/launcher/resources`>>
  /** Resources and benefits of a patron tier: 2 (`favorite`) or 3 (`trusted`). */
  tier(tier: 2 | 3, options?: CallOptions): Promise<ReplyOf<typeof TIER>>
  /** Download counts by application and version. */
  downloads(options?: CallOptions): Promise<ReplyOf<`GET ${typeof V5}/stats/downloads`>>
  /** Update checks by version, and an estimate of the installations. */
  adoption(options?: CallOptions): Promise<ReplyOf<`GET ${typeof V5}/stats/adoption`>>
  /** The URL that counts and starts a download. Sends no request. */
  downloadUrl(application: Application, query?: QueryOf<typeof DOWNLOAD>): string
  /** Requests a client key from the operator. */
  askForKey(request: ClientRequest, options?: CallOptions): Promise<ReplyOf<typeof REQUEST_KEY>>
  /** The operator endpoints. Never put a token into a public page. */
  operator(token: string): Operator
}

export function app(connection: Connection, name: string): App {
  const { json } = connection
  const withOptions = (options: object | undefined) => ({ params: { app: name }, options })
  return {
    updates: (options) => json(UPDATES, withOptions(options)) as Promise<UpdatesReply>,
    news: (options) => json(NEWS, withOptions(options)),
    version: ((application, options) =>
      json(VERSION, { params: { app: name, application }, options })) as App['version'],
    versions: (options) => json(VERSIONS, withOptions(options)),
    resources: (options) => json(`GET ${V5}/version/app/launcher/resources`, withOptions(options)),
    tier: (tier, options) => json(TIER, { params: { app: name, tier: `${tier}` }, options }),
    downloads: (options) => json(`GET ${V5}/stats/downloads`, withOptions(options)),
    adoption: (options) => json(`GET ${V5}/stats/adoption`, withOptions(options)),
    downloadUrl: (application, query) =>
      connection.url(DOWNLOAD, { params: { app: name, application }, options: query }),
    askForKey: (body, options) => json(REQUEST_KEY, { ...withOptions(options), body }),
    operator: (token) => operator(connection, name, token),
  }
}
