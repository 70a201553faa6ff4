import Type from 'typebox'
import { UnknownFile } from '../../../errors/index.ts'
import type { Blocklist } from '../../../features/blocklist/index.ts'
import {
  createUptimeClock,
  type GeneratedFiles,
  type LogFiles,
  type Version,
} from '../../../features/developer/index.ts'
import { cache, prepareReply, success } from '../../kernel/replies.ts'
import { get, type Route, under } from '../../kernel/route.ts'
import {
  BlocklistReply,
  BlocklistsReply,
  ContentReply,
  FolderReply,
  LogListReply,
  LogReply,
  UptimeReply,
  VersionReply,
} from './schemas.ts'

export interface DeveloperServices {
  readonly version: Version
  readonly startedAt: Date
  readonly generated: GeneratedFiles
  readonly logs: LogFiles
  readonly blocklist: Blocklist
}

const tag = 'Developer information'
const GENERATED = '/static/generated'
const LOGS = '/static/logs'
const CACHE = '/static/cache'
const PREFIX = '/api/v1'

const DEFAULT_LINES = 100
const MAX_LINES = 1000

export function developer({ version, startedAt, generated, logs, blocklist }: DeveloperServices): Route[] {
  const versionReply = prepareReply(success({ code: 200, ...version }, { cache: cache.short }))
  const uptime = createUptimeClock(startedAt)

  async function showGenerated(path: string) {
    const files = await generated.list(path)
    if (files) return success({ path, files })
    const file = await generated.read(path)
    if (file) return success({ ...file })
    throw new UnknownFile(PREFIX + GENERATED)
  }

  function showBlocklist(path: string) {
    const facts = blocklist.info()
    if (facts?.path !== path) throw new UnknownFile(PREFIX + CACHE)
    return success({ ...facts, message: facts.sha256, type: 'sha256' }, { cache: cache.short })
  }

  const routes = [
    get(
      '/version',
      { tag, summary: 'Version of the service and of its runtime', reply: VersionReply },
      () => versionReply,
    ),
    get('/uptime', { tag, summary: 'How long the service has been running', reply: UptimeReply }, () =>
      success({ code: 200, ...uptime() }),
    ),
    get(GENERATED, { tag, summary: 'The static files that the service generates', reply: FolderReply }, () =>
      showGenerated(''),
    ),
    get(
      `${GENERATED}/*`,
      {
        tag,
        summary: 'A generated file, or a folder of them',
        params: {
          '*': Type.String({ description: 'A path that the listing names; may be nested.', examples: ['errors.json'] }),
        },
        reply: Type.Union([FolderReply, ContentReply]),
        errors: [UnknownFile],
      },
      ({ params }) => showGenerated(params['*']),
    ),
    get(LOGS, { tag, summary: 'The log files', reply: LogListReply }, async () =>
      success({ files: await logs.list() }),
    ),
    get(
      `${LOGS}/:fileName`,
      {
        tag,
        summary: 'The newest lines of a log file',
        params: { fileName: Type.String({ description: 'A name that the listing gives.' }) },
        query: {
          lines: Type.Integer({
            minimum: 1,
            maximum: MAX_LINES,
            default: DEFAULT_LINES,
            description: 'How many lines at the most.',
          }),
        },
        reply: LogReply,
        errors: [UnknownFile],
      },
      async ({ params, query }) => {
        const log = await logs.read(params.fileName, query.lines ?? DEFAULT_LINES)
        if (!log) throw new UnknownFile(PREFIX + LOGS)
        return success({ ...log })
      },
    ),
    get(CACHE, { tag, summary: 'The lists whose digests are given', reply: BlocklistsReply }, () => {
      const facts = blocklist.info()
      return success({ files: facts ? [facts] : [] }, { cache: cache.short })
    }),
    get(
      `${CACHE}/*`,
      {
        tag,
        summary: 'SHA-256 of the blocking list',
        description: 'The digest is that of the bytes of the file, as `sha256sum` prints it.',
        params: { '*': Type.String({ description: 'The name of a list.', examples: ['blocklist.txt'] }) },
        reply: BlocklistReply,
        errors: [UnknownFile],
      },
      ({ params }) => showBlocklist(params['*']),
    ),
  ]
  return under(PREFIX, routes)
}
