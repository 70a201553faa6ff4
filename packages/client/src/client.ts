import { type App, app } from './app.ts'
import { type ClientOptions, connect } from './connection.ts'
import { type Developer, developer } from './developer.ts'
import { type Filter, filter } from './filter.ts'
import { type Random, random } from './random.ts'

export interface Client extends Developer {
  readonly random: Random
  readonly filter: Filter
  /** The dedicated application; its name is a setting of the service. */
  app(name?: string): App
}

/** All of a service; `url` is where it stands, such as `http://127.0.0.1:4010`. */
export function createClient(url: string | URL, options?: ClientOptions): Client {
  const connection = connect(url, options)
  return {
    random: random(connection),
    filter: filter(connection),
    ...developer(connection),
    app: (name = 'app') => app(connection, name),
  }
}
