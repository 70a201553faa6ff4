import { type App, app } from './app.ts'
import { type ClientOptions, connect } from './connection.ts'
import { type Developer, developer } from './developer.ts'
import { type Filter, filter } from './filter.ts'
import { type Random, random } from './random.ts'

export type { Api, ServiceErrorCode } from './api.ts'
export {
  type App,
  type Application,
  app,
  type ClientRequest,
  type Release,
  type UpdatesQuery,
  type UpdatesReply,
} from './app.ts'
export { type CallOptions, type ClientOptions, type Connection, connect } from './connection.ts'
export { type Developer, developer } from './developer.ts'
export { type ClientErrorCode, type ErrorCode, MenagerieError } from './error.ts'
export {
  type Filter,
  type FilteredPicture,
  type FilterName,
  type FilterOptions,
  type FilterReply,
  filter,
} from './filter.ts'
export { type Operator, operator } from './operator.ts'
export {
  type AnimalOptions,
  type Many,
  type One,
  type Picture,
  type PictureType,
  type Random,
  type RandomOptions,
  random,
} from './random.ts'

export interface Client extends Developer {
  readonly random: Random
  readonly filter: Filter
  /** The API of the product (v5). Its name is the setting `APP_NAME` of the service. Default: `app`. */
  app(name?: string): App
}

/** A client for all endpoints. `url` is the address of the service, such as `http://127.0.0.1:4010`. */
export function createClient(url: string | URL, options?: ClientOptions): Client {
  const connection = connect(url, options)
  return {
    random: random(connection),
    filter: filter(connection),
    ...developer(connection),
    app: (name = 'app') => app(connection, name),
  }
}
