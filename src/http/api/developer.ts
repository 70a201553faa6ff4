import Type from 'typebox'
import { Busy, UnknownFile } from '../../errors/index.ts'
import type { Blocklist } from '../../features/blocklist/index.ts'
import { createUptimeClock, type GeneratedFiles, type LogFiles, type Version } from '../../features/developer/index.ts'
import { formatFileSchema, schemaNames } from '../../features/schemas/index.ts'
import { createFairSemaphore } from '../../platform/concurrency/index.ts'
import { listNetworks } from '../../platform/net/index.ts'
import { cache, createReplyCache, prepareReply, type Reply, success, text } from '../kernel/replies.ts'
import type { RequestContext } from '../kernel/request-context.ts'
import { get, type Route, under } from '../kernel/route.ts'
import { AnyFields, IntegerParameter, Text } from '../kernel/schemas.ts'
import { compressible } from '../kernel/send.ts'
import * as replies from './developer-replies.ts'

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
/** To parse and write this many bytes of a log takes 3 ms, during which all clients wait: networks take turns. */
const CHARGED_BYTES = 64 * 1024
/** The OpenAPI document takes 50 ms to build, during which all clients wait. */
const FILE_REPLIES = { maxEntries: 32, maxBytes: 4 * 1024 * 1024 }

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

  async function listLogs(): Promise<Reply> {
    const files = await logs.list()
    return success({ files: files.map((log) => ({ name: log.fileName, ...log, time: log.modifiedAt })) })
  }

  async function readLog(ctx: RequestContext, fileName: string, lines: number) {
    const log = await logs.read(fileName, lines)
    if (!log) throw new UnknownFile(PREFIX + LOGS)
    const { decode, ...fields } = log
    await ctx.waitForTurn()
    const reply = success({ ...fields, ...decode() })
    ctx.charge(Math.ceil((reply.length ?? 0) / CHARGED_BYTES))
    return reply
  }

  const generatedReplies = createReplyCache(FILE_REPLIES)

  async function readGenerated(path: string) {
    const files = await generated.list(path)
    if (files) return success({ path, files })
    const file = await generated.read(path)
    if (!file) throw new UnknownFile(PREFIX + GENERATED)
    const { decode, ...fields } = file
    return generatedReplies.get(JSON.stringify(fields), () => compressible(success({ ...fields, ...decode() })))
  }

  function describeBlocklist(path: string) {
    const found = blocklist.infos().find((list) => list.path === path)
    if (!found) throw new UnknownFile(PREFIX + CACHE)
    return success({ ...found, message: found.sha256, type: 'sha256' }, { cache: cache.short })
  }

  const routes = under(PREFIX, [
    get('/version', {
      tag,
      summary: 'Version of the service and of Node',
      description: 'With the commit that the service was built from, if it is known.',
      reply: replies.VersionReply,
      handle: () => versionReply,
    }),
    get('/uptime', {
      tag,
      summary: 'Time since the service started',
      description: 'As hh:mm:ss, in words and in seconds.',
      reply: replies.UptimeReply,
      handle: () => success({ code: 200, ...uptime() }),
    }),
    get(GENERATED, {
      tag,
      summary: 'List of generated files: OpenAPI document, kinds, endpoints, error codes, statistics',
      description: 'The files and folders in the root, with their sizes and digests.',
      reply: replies.FolderReply,
      errors: [Busy],
      handle: (ctx) => inTurn(ctx, () => readGenerated('')),
    }),
    get(`${GENERATED}/*`, {
      tag,
      summary: 'Generated file or folder',
      description: 'The content of a file, or the list of a folder.',
      params: { '*': Text('Path of a file or folder, as in the list of generated files.', 'errors.json') },
      reply: Type.Union([replies.FolderReply, replies.FileReply]),
      errors: [UnknownFile, Busy],
      handle: (ctx) => inTurn(ctx, () => readGenerated(ctx.params['*'])),
    }),
    get(LOGS, {
      tag,
      summary: 'List of log files',
      description: '`/api/v1/static/logs/{fileName}` returns their lines. Old files are deleted.',
      reply: replies.LogListReply,
      errors: [Busy],
      handle: (ctx) => inTurn(ctx, listLogs),
    }),
    get(`${LOGS}/:fileName`, {
      tag,
      summary: 'Newest lines of a log file',
      description: 'Logs contain no secrets. Client addresses are shortened, and image URLs are reduced to their host.',
      params: { fileName: Text('Name from the list of log files.') },
      query: {
        lines: IntegerParameter('Maximum number of lines.', { minimum: 1, maximum: 1000, default: DEFAULT_LINES }),
      },
      reply: replies.LogReply,
      errors: [UnknownFile, Busy],
      handle: (ctx) => inTurn(ctx, () => readLog(ctx, ctx.params.fileName, ctx.query.lines ?? DEFAULT_LINES)),
    }),
    get(CACHE, {
      tag,
      summary: 'Blocklists in use with their SHA-256',
      description: 'Filters fetch no image from a host on one of these lists.',
      reply: replies.BlocklistsReply,
      handle: () => success({ files: blocklist.infos() }, { cache: cache.short }),
    }),
    get(`${CACHE}/*`, {
      tag,
      summary: 'SHA-256 of a blocklist',
      description: 'The digest of the bytes of the file, as `sha256sum` prints it.',
      params: { '*': Text('`path` of a blocklist, from the list of blocklists.', 'blocklist.txt') },
      reply: replies.BlocklistReply,
      errors: [UnknownFile],
      handle: ({ params }) => describeBlocklist(params['*']),
    }),
  ])
  return [...routes, buildFileSchemaRoute()]
}

const SCHEMAS = '/schemas'
const schemaFiles = new Map(schemaNames.map((name) => [`${name}.json`, name]))

/** JSON Schemas of the content files, for editors of operators. */
function buildFileSchemaRoute(): Route {
  const replies = createReplyCache(FILE_REPLIES)
  return get(`${SCHEMAS}/:file`, {
    tag,
    summary: 'JSON Schema of a content file',
    description:
      'Editors check and complete YAML files with it. Starter content has the same schemas in `schemas/`, so that they ' +
      'also work offline.',
    params: { file: Type.Enum([...schemaFiles.keys()], { description: 'Name of the schema.' }) },
    reply: AnyFields({
      examples: [
        { $schema: 'http://json-schema.org/draft-07/schema#', title: 'Tiers: app/tiers.yaml', type: 'object' },
      ],
    }),
    errors: [UnknownFile],
    handle: ({ params: { file } }) => {
      const name = schemaFiles.get(file)
      if (name === undefined) throw new UnknownFile('/docs')
      return replies.get(name, () =>
        compressible(text(formatFileSchema(name), 'application/json; charset=utf-8', { cache: cache.short })),
      )
    },
  })
}
