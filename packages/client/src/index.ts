export type { Api, ServiceErrorCode } from './api.ts'
export { type App, type Application, app, type ClientRequest, type Release, type UpdatesReply } from './app.ts'
export { type Client, createClient } from './client.ts'
export { type CallOptions, type ClientOptions, type Connection, connect } from './connection.ts'
export { type Developer, developer } from './developer.ts'
export { type ClientErrorCode, type ErrorCode, MenagerieError } from './error.ts'
export {
  type Filter,
  type FilteredPicture,
  type FilterName,
  type FilterReply,
  type FilterWish,
  filter,
} from './filter.ts'
export { type Operator, operator } from './operator.ts'
export {
  type AnimalWish,
  type Many,
  type One,
  type Picture,
  type PictureType,
  type Random,
  random,
  type Wish,
} from './random.ts'
