import type { CallOptions, Connection, ReplyOf } from './connection.ts'

const GENERATED = 'GET /api/v1/static/generated'
const LOGS = 'GET /api/v1/static/logs'
const BLOCKLISTS = 'GET /api/v1/static/cache'

export interface Developer {
  /** Of the service and of its runtime. */
  version(options?: CallOptions): Promise<ReplyOf<'GET /api/v1/version'>>
  uptime(options?: CallOptions): Promise<ReplyOf<'GET /api/v1/uptime'>>
  /** The files that the service generates, or one of them, or a folder of them. */
  generated: {
    (path?: undefined, options?: CallOptions): Promise<ReplyOf<typeof GENERATED>>
    (path: string, options?: CallOptions): Promise<ReplyOf<`${typeof GENERATED}/{path}`>>
  }
  /** The public log files, or the newest lines of one. */
  logs: {
    (fileName?: undefined, options?: CallOptions): Promise<ReplyOf<typeof LOGS>>
    (
      fileName: string,
      options?: CallOptions & { readonly lines?: number },
    ): Promise<ReplyOf<`${typeof LOGS}/{fileName}`>>
  }
  blocklists(options?: CallOptions): Promise<ReplyOf<typeof BLOCKLISTS>>
  /** The digest of a blocking list, as `sha256sum` prints it. */
  blocklist(path?: string, options?: CallOptions): Promise<ReplyOf<`${typeof BLOCKLISTS}/{path}`>>
}

const USUAL_BLOCKLIST = 'blocklist.txt'

export function developer({ json }: Connection): Developer {
  return {
    version: (options) => json('GET /api/v1/version', { params: {}, wish: options }),
    uptime: (options) => json('GET /api/v1/uptime', { params: {}, wish: options }),
    generated: ((path, options) =>
      path === undefined
        ? json(GENERATED, { params: {}, wish: options })
        : json(`${GENERATED}/{path}`, { params: { path }, wish: options })) as Developer['generated'],
    logs: ((fileName, options) =>
      fileName === undefined
        ? json(LOGS, { params: {}, wish: options })
        : json(`${LOGS}/{fileName}`, { params: { fileName }, wish: options })) as Developer['logs'],
    blocklists: (options) => json(BLOCKLISTS, { params: {}, wish: options }),
    blocklist: (path = USUAL_BLOCKLIST, options) => json(`${BLOCKLISTS}/{path}`, { params: { path }, wish: options }),
  }
}
