import type { Api } from './api.ts'
import type { CallOptions, Connection, QueryOf, ReplyOf } from './connection.ts'

const ROOT = '/api/v5/{app}/operator'
type Root = typeof ROOT
type Decision = 'grant' | 'refuse' | 'revoke'
type BanWish = Api[`POST ${Root}/bans`]['body']
type Wish<Path extends 'downloads' | 'bans' | 'clients'> = CallOptions & QueryOf<`GET ${Root}/${Path}`>

/** What an operator's token opens; only what reads is tried again. */
export interface Operator {
  overview(options?: CallOptions): Promise<ReplyOf<`GET ${Root}/overview`>>
  content(options?: CallOptions): Promise<ReplyOf<`GET ${Root}/content`>>
  downloads(options?: Wish<'downloads'>): Promise<ReplyOf<`GET ${Root}/downloads`>>
  /** The newest thousand, unless `limit` and `offset` say otherwise. */
  bans(options?: Wish<'bans'>): Promise<ReplyOf<`GET ${Root}/bans`>>
  ban(ban: BanWish, options?: CallOptions): Promise<ReplyOf<`POST ${Root}/bans`>>
  lift(address: string, options?: CallOptions): Promise<ReplyOf<`DELETE ${Root}/bans/{address}`>>
  clients(options?: Wish<'clients'>): Promise<ReplyOf<`GET ${Root}/clients`>>
  /** Grants, refuses or takes back a key; the reply to a grant shows it, this once. */
  decide<D extends Decision>(
    id: string,
    decision: D,
    options?: CallOptions,
  ): Promise<ReplyOf<`POST ${Root}/clients/{id}/${D}`>>
  reload(options?: CallOptions): Promise<ReplyOf<`POST ${Root}/reload`>>
}

export function operator({ json }: Connection, app: string, token: string): Operator {
  const plain = (wish: object | undefined) => ({ params: { app }, wish, token })
  return {
    overview: (options) => json(`GET ${ROOT}/overview`, plain(options)),
    content: (options) => json(`GET ${ROOT}/content`, plain(options)),
    downloads: (options) => json(`GET ${ROOT}/downloads`, plain(options)),
    bans: (options) => json(`GET ${ROOT}/bans`, plain(options)),
    ban: (body, options) => json(`POST ${ROOT}/bans`, { ...plain(options), body }),
    lift: (address, options) => json(`DELETE ${ROOT}/bans/{address}`, { ...plain(options), params: { app, address } }),
    clients: (options) => json(`GET ${ROOT}/clients`, plain(options)),
    decide: (id, decision, options) =>
      json(`POST ${ROOT}/clients/{id}/${decision}`, { ...plain(options), params: { app, id } }),
    reload: (options) => json(`POST ${ROOT}/reload`, plain(options)),
  }
}
