import type { CallOptions, Connection, ReplyOf } from './connection.ts'

const GENERATED = 'GET /api/v1/static/generated'
const LOGS = 'GET /api/v1/static/logs'
const BLOCKLISTS = 'GET /api/v1/static/cache'

export interface Developer {
  /** Version of the service and of its Node. */
  version(options?: CallOptions): Promise<ReplyOf<'GET /api/v1/version'>>
  uptime(options?: CallOptions): Promise<ReplyOf<'GET /api/v1/uptime'>>
  /** The generated files: their list, a subfolder, or one file. */
  generated: {
    (path?: undefined, options?: CallOptions): Promise<ReplyOf<typeof GENERATED>>
    (path: string, options?: CallOptions): Promise<ReplyOf<`${typeof GENERATED}/{path}`>>
  }
  /** The list of public log files, or the newest lines of one. */
  logs: {
    (fileName?: undefined, options?: CallOptions): Promise<ReplyOf<typeof LOGS>>
    (
      fileName: string,
      options?: CallOptions & { readonly lines?: number },
    ): Promise<ReplyOf<`${typeof LOGS}/{fileName}`>>
  }
  blocklists(options?: CallOptions): Promise<ReplyOf<typeof BLOCKLISTS>>
  /** SHA-256 of a blocklist, as `sha256sum` prints it. Default: `blocklist.txt`. */
  blocklist(path?: string, options?: CallOptions): Promise<ReplyOf<`${typeof BLOCKLISTS}/{path}`>>
}

const DEFAULT_BLOCKLIST = 'blocklist.txt'

export function developer({ json }: Connection): Developer {
  return {
    version: (options) => json('GET /api/v1/version', { params: {}, options }),
    uptime: (options) => json('GET /api/v1/uptime', { params: {}, options }),
    generated: ((path, options) =>
      path === undefined
        ? json(GENERATED, { params: {}, options })
        : json(`${GENERATED}/{path}`, { params: { path }, options })) as Developer['generated'],
    logs: ((fileName, options) =>
      fileName === undefined
        ? json(LOGS, { params: {}, options })
        : json(`${LOGS}/{fileName}`, { params: { fileName }, options })) as Developer['logs'],
    blocklists: (options) => json(BLOCKLISTS, { params: {}, options }),
    blocklist: (path = DEFAULT_BLOCKLIST, options) => json(`${BLOCKLISTS}/{path}`, { params: { path }, options }),
  }
}
