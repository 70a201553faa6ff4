import type { Api } from './api.ts'
import type { CallOptions, Connection, QueryOf, ReplyOf } from './connection.ts'

const ROOT = '/api/v5/{app}/operator'
type Root = typeof ROOT
type Decision = 'grant' | 'refuse' | 'revoke'
type BanRequest = Api[`POST ${Root}/bans`]['body']
type Query<Path extends 'downloads' | 'bans' | 'clients'> = CallOptions & QueryOf<`GET ${Root}/${Path}`>

/** The operator endpoints. Only reads are retried. */
export interface Operator {
  overview(options?: CallOptions): Promise<ReplyOf<`GET ${Root}/overview`>>
  content(options?: CallOptions): Promise<ReplyOf<`GET ${Root}/content`>>
  downloads(options?: Query<'downloads'>): Promise<ReplyOf<`GET ${Root}/downloads`>>
  adoption(options?: CallOptions): Promise<ReplyOf<`GET ${Root}/adoption`>>
  /** By default the newest 1000. */
  bans(options?: Query<'bans'>): Promise<ReplyOf<`GET ${Root}/bans`>>
  ban(ban: BanRequest, options?: CallOptions): Promise<ReplyOf<`POST ${Root}/bans`>>
  lift(address: string, options?: CallOptions): Promise<ReplyOf<`DELETE ${Root}/bans/{address}`>>
  clients(options?: Query<'clients'>): Promise<ReplyOf<`GET ${Root}/clients`>>
  /** Grants, refuses or revokes a client key. Only the reply to `grant` contains the key. */
  decide<D extends Decision>(
    id: string,
    decision: D,
    options?: CallOptions,
  ): Promise<ReplyOf<`POST ${Root}/clients/{id}/${D}`>>
  reload(options?: CallOptions): Promise<ReplyOf<`POST ${Root}/reload`>>
}

export function operator({ json }: Connection, app: string, token: string): Operator {
  const withOptions = (options: object | undefined) => ({ params: { app }, options, token })
  return {
    overview: (options) => json(`GET ${ROOT}/overview`, withOptions(options)),
    content: (options) => json(`GET ${ROOT}/content`, withOptions(options)),
    downloads: (options) => json(`GET ${ROOT}/downloads`, withOptions(options)),
    adoption: (options) => json(`GET ${ROOT}/adoption`, withOptions(options)),
    bans: (options) => json(`GET ${ROOT}/bans`, withOptions(options)),
    ban: (body, options) => json(`POST ${ROOT}/bans`, { ...withOptions(options), body }),
    lift: (address, options) =>
      json(`DELETE ${ROOT}/bans/{address}`, { ...withOptions(options), params: { app, address } }),
    clients: (options) => json(`GET ${ROOT}/clients`, withOptions(options)),
    decide: (id, decision, options) =>
      json(`POST ${ROOT}/clients/{id}/${decision}`, { ...withOptions(options), params: { app, id } }),
    reload: (options) => json(`POST ${ROOT}/reload`, withOptions(options)),
  }
}
