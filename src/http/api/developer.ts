import Type from 'typebox'
import { Busy, UnknownFile } from '../../errors/index.ts'
import type { Blocklist } from '../../features/blocklist/index.ts'
import { createUptimeClock, type GeneratedFiles, type LogFiles, type Version } from '../../features/developer/index.ts'
import { createFairSemaphore } from '../../platform/concurrency/index.ts'
import { listNetworks } from '../../platform/net/index.ts'
import { cache, prepareReply, type Reply, success } from '../kernel/replies.ts'
import { createReplyCache } from '../kernel/reply-cache.ts'
import type { RequestContext } from '../kernel/request-context.ts'
import { get, type Route, under } from '../kernel/route.ts'
import { Bytes, IntegerParameter, OrNull, Sha256, SuccessReply, Timestamp } from '../kernel/schemas.ts'

interface DeveloperServices {
  readonly version: Version
  readonly startedAt: Date
  readonly generated: GeneratedFiles
  readonly logs: LogFiles
  readonly blocklist: Blocklist
}

const tag = 'Developer information'
const PREFIX = '/api/v1'
const GENERATED = '/static/generated'
const LOGS = '/static/logs'
const CACHE = '/static/cache'

const DEFAULT_LINES = 100

/** Each takes several megabytes while it is read, and a client can send all requests of its rate limit at once. */
const MAX_FILES_READ = 4
const RETRY_AFTER_SECONDS = 5
/** The OpenAPI document takes 50 ms to build, during which all clients wait. */
const GENERATED_REPLIES = { maxEntries: 32, maxBytes: 4 * 1024 * 1024 }

const Code = Type.Literal(200, { description: 'Same as `status`, for older programs.' })

const VersionReply = SuccessReply({
  code: Code,
  version: Type.String({ description: 'Version of the service.', examples: ['1.4.0'] }),
  node: Type.String({ description: 'Version of Node, without a "v".', examples: ['26.10.0'] }),
  commit: OrNull(
    Type.String({ examples: ['8f6a1c20d7b34e955aa0c1f2e3d4b5c697881234'] }),
    'Git commit, or null if it is unknown.',
  ),
})

const UptimeReply = SuccessReply({
  code: Code,
  time: Type.String({ pattern: '^\\d{2,}:\\d\\d:\\d\\d$', description: 'Uptime as hh:mm:ss.', examples: ['26:03:09'] }),
  full: Type.String({ description: 'Uptime in words.', examples: ['1 day, 2 hours, 3 minutes and 9 seconds'] }),
  uptime: Type.Number({ minimum: 0, description: 'Uptime in seconds.', examples: [93_789.4] }),
  startedAt: Timestamp,
})

const FolderReply = SuccessReply(
  {
    path: Type.String({ description: 'Path of the folder. Empty for the root.', examples: [''] }),
    files: Type.Array(
      Type.Object(
        {
          name: Type.String({ examples: ['errors.json'] }),
          path: Type.String({ description: 'Path of the entry in URLs.', examples: ['errors.json'] }),
          isDir: Type.Boolean(),
          size: Bytes,
          sha256: OrNull(Sha256, 'SHA-256, hexadecimal. Null for a folder.'),
          modifiedAt: Timestamp,
        },
        { component: 'FolderEntry' },
      ),
    ),
  },
  { component: 'FolderReply' },
)

const FileReply = SuccessReply(
  {
    path: Type.String({ examples: ['catalogue.json'] }),
    size: Bytes,
    sha256: Sha256,
    modifiedAt: Timestamp,
    encoding: Type.Enum(['json', 'utf8', 'base64']),
    content: Type.Unknown({
      description: 'Parsed JSON, text or Base64, depending on `encoding`.',
      examples: [{ kaomoji: { cat: 80, dog: 71 } }],
    }),
  },
  { component: 'FileReply' },
)

const logFields = {
  fileName: Type.String({ examples: ['menagerie.2026-12-01.log'] }),
  size: Bytes,
  modifiedAt: Timestamp,
}
/** `name` and `time` are copies for older programs. */
const LogEntry = Type.Object({ name: logFields.fileName, ...logFields, time: Timestamp }, { component: 'LogFile' })
const LogListReply = SuccessReply({ files: Type.Array(LogEntry) })
const LogReply = SuccessReply({
  ...logFields,
  total: Type.Integer({ minimum: 0, description: 'Number of lines in the file.', examples: [418] }),
  truncated: Type.Boolean({ description: 'True if the file has more lines than the reply.' }),
  lines: Type.Array(Type.Object({}, { additionalProperties: true }), {
    description: 'The newest lines, oldest first. A line that is not a JSON object becomes {"text": …}.',
    examples: [[{ level: 'info', time: '2026-12-01T09:30:00.000Z', msg: 'the service listens' }]],
  }),
})

const blocklistFields = {
  path: Type.String({
    description:
      'The first list is always named `blocklist.txt`. It is the list in DATA_DIR (from BLOCKLIST_URL or `blocklist ' +
      'update`) or, if there is none, CONTENT_DIR/blocklist.txt. If there are both, the second is `content/blocklist.txt`.',
    examples: ['blocklist.txt'],
  }),
  sha256: Sha256,
  size: Bytes,
  entries: Type.Integer({ minimum: 0, description: 'Number of domains.', examples: [62] }),
  modifiedAt: Timestamp,
  source: Type.String({
    description:
      '`content`: the content folder; `file`: a local file given to `blocklist update`; `update`: a list in ' +
      'DATA_DIR whose origin was not recorded; otherwise the host from which the list was downloaded.',
    examples: ['content'],
  }),
}
const BlocklistsReply = SuccessReply({ files: Type.Array(Type.Object(blocklistFields, { component: 'Blocklist' })) })
const BlocklistReply = SuccessReply({
  ...blocklistFields,
  message: Type.String({ ...Sha256, description: 'Same as `sha256`, for older programs.' }),
  type: Type.Literal('sha256'),
})

export function buildDeveloperRoutes(services: DeveloperServices): Route[] {
  const { version, startedAt, generated, logs, blocklist } = services
  const versionReply = prepareReply(success({ code: 200, ...version }, { cache: cache.short }))
  const uptime = createUptimeClock(startedAt)

  const readers = createFairSemaphore({
    maxRunning: MAX_FILES_READ,
    maxRunningPerGroup: MAX_FILES_READ - 1,
    maxWaiting: 100,
    waitTimeoutMs: 10_000,
    computeRetryAfter: () => RETRY_AFTER_SECONDS,
  })
  /** Clients take turns. */
  async function inTurn({ client, signal }: RequestContext, read: () => Promise<Reply>): Promise<Reply> {
    using _slot = await readers.acquire(listNetworks(client), signal)
    return await read()
  }

  async function readLog(fileName: string, lines: number) {
    const log = await logs.read(fileName, lines)
    if (!log) throw new UnknownFile(PREFIX + LOGS)
    return success({ ...log })
  }

  const generatedReplies = createReplyCache(GENERATED_REPLIES)

  async function readGenerated(path: string) {
    const files = await generated.list(path)
    if (files) return success({ path, files })
    const file = await generated.read(path)
    if (!file) throw new UnknownFile(PREFIX + GENERATED)
    const { decode, ...fields } = file
    return generatedReplies.get(JSON.stringify(fields), () => success({ ...fields, ...decode() }))
  }

  function describeBlocklist(path: string) {
    const found = blocklist.infos().find((list) => list.path === path)
    if (!found) throw new UnknownFile(PREFIX + CACHE)
    return success({ ...found, message: found.sha256, type: 'sha256' }, { cache: cache.short })
  }

  return under(PREFIX, [
    get(
      '/version',
      {
        tag,
        summary: 'Version of the service and of Node',
        description: 'With the commit that the service was built from, if it is known.',
        reply: VersionReply,
      },
      () => versionReply,
    ),
    get(
      '/uptime',
      {
        tag,
        summary: 'Time since the service started',
        description: 'As a clock, in words and in seconds.',
        reply: UptimeReply,
      },
      () => success({ code: 200, ...uptime() }),
    ),
    get(
      GENERATED,
      {
        tag,
        summary: 'List of generated files: OpenAPI document, kinds, endpoints, error codes, statistics',
        description: 'The files and folders in the root, with their sizes and digests.',
        reply: FolderReply,
        errors: [Busy],
      },
      (ctx) => inTurn(ctx, () => readGenerated('')),
    ),
    get(
      `${GENERATED}/*`,
      {
        tag,
        summary: 'Generated file or folder',
        description: 'The content of a file, or the list of a folder.',
        params: {
          '*': Type.String({
            description: 'Path of a file or folder, as in the list of generated files.',
            examples: ['errors.json'],
          }),
        },
        reply: Type.Union([FolderReply, FileReply]),
        errors: [UnknownFile, Busy],
      },
      (ctx) => inTurn(ctx, () => readGenerated(ctx.params['*'])),
    ),
    get(
      LOGS,
      {
        tag,
        summary: 'List of log files',
        description: 'Files that another endpoint shows line by line. Old files are deleted.',
        reply: LogListReply,
      },
      async () =>
        success({ files: (await logs.list()).map((log) => ({ name: log.fileName, ...log, time: log.modifiedAt })) }),
    ),
    get(
      `${LOGS}/:fileName`,
      {
        tag,
        summary: 'Newest lines of a log file',
        description:
          'Logs contain no secrets. Client addresses are shortened, and image URLs are reduced to their host.',
        params: { fileName: Type.String({ description: 'Name from the list of log files.' }) },
        query: {
          lines: IntegerParameter('Maximum number of lines.', { minimum: 1, maximum: 1000, default: DEFAULT_LINES }),
        },
        reply: LogReply,
        errors: [UnknownFile, Busy],
      },
      (ctx) => inTurn(ctx, () => readLog(ctx.params.fileName, ctx.query.lines ?? DEFAULT_LINES)),
    ),
    get(
      CACHE,
      {
        tag,
        summary: 'Blocklists in force with their SHA-256',
        description: 'Filters fetch no image from a host on one of these lists.',
        reply: BlocklistsReply,
      },
      () => success({ files: blocklist.infos() }, { cache: cache.short }),
    ),
    get(
      `${CACHE}/*`,
      {
        tag,
        summary: 'SHA-256 of a blocklist',
        description: 'The digest of the bytes of the file, as `sha256sum` prints it.',
        params: {
          '*': Type.String({
            description: '`path` of a blocklist, from the list of blocklists.',
            examples: ['blocklist.txt'],
          }),
        },
        reply: BlocklistReply,
        errors: [UnknownFile],
      },
      ({ params }) => describeBlocklist(params['*']),
    ),
  ])
}
