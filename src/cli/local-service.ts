// What the operator's commands need of a service, for the one on this machine: its content folder and its store. remote/
// has the same methods for a service elsewhere.
import type { Config } from '../config/config.ts'
import { OperatorError } from '../errors/index.ts'
import type { Bans, Clients, Tokens } from '../features/access/index.ts'
import type { BlocklistInfo } from '../features/blocklist/index.ts'
import type { ListCategory } from '../features/content/index.ts'
import type { ChangeInput, ChangeName, HistoryEntry, Publisher } from '../features/publishing/index.ts'
import type { ClientState, Scope, Store } from '../platform/store/index.ts'
import type { runChecks } from './doctor/index.ts'
import type { Progress } from './terminal.ts'
import {
  assertContentFolder,
  COMMAND,
  lastGoodIn,
  openPublisher,
  prefixAppFolder,
  silentLog,
  withBlocklist,
  withClosing,
  withContentFolder,
  withPublisher,
  withReleases,
  withStore,
} from './with-services.ts'

export type OperatorService = ReturnType<typeof createLocalService>

export function createLocalService(config: Config) {
  const readPublished = <T>(work: (publisher: Publisher) => Promise<T>) =>
    withContentFolder(config, async () => work(await openPublisher(config)))

  type Access = typeof import('../features/access/index.ts')
  const withAccess = <T>(work: (store: Store, access: Access) => Promise<T>) =>
    withStore(config, async (store) => work(store, await import('../features/access/index.ts')))

  const withBans = <T>(work: (bans: Bans, access: Access) => Promise<T>) =>
    withAccess((store, access) => {
      const options = { ...access.readBanOptions(config), log: silentLog }
      const bans = access.createBans(store.bans, store.strikes, options)
      return withClosing(bans, () => work(bans, access))
    })
  const withClients = <T>(work: (clients: Clients, access: Access) => Promise<T>) =>
    withAccess((store, access) => work(access.createClients(store.clients), access))
  const withTokens = <T>(work: (tokens: Tokens, access: Access) => Promise<T>) =>
    withAccess((store, access) => work(access.createTokens(store.tokens), access))

  return {
    isRemote: false as boolean,
    /** One change, as the endpoints make it. */
    apply: <Name extends ChangeName>(name: Name, input: ChangeInput<Name>, dryRun: boolean) =>
      withPublisher(config, (publisher) => publisher.apply(name, input, { by: COMMAND, dryRun })),
    listReleases: () => readPublished((publisher) => publisher.listReleases()),
    listResources: () => readPublished((publisher) => publisher.listResources()),
    listNews: () => readPublished((publisher) => publisher.listNews()),
    readList: (category: ListCategory, kind: string) =>
      readPublished(async (publisher) => (await publisher.readList(category, kind)).entry),
    /** With `lang`, a translation. */
    readNews: (id: string, lang?: string) =>
      readPublished(async (publisher) => (await publisher.readNews(id, lang)).entry),
    readPictures: (kind: string) => readPublished(async (publisher) => (await publisher.readPictures(kind)).entry),
    readTier: (tier: '2' | '3') => readPublished(async (publisher) => (await publisher.readTier(tier)).entry),

    /** Newest first, without the lines of the changes. */
    async listHistory(limit: number) {
      const { listHistory } = await import('../features/publishing/index.ts')
      return listHistory((await openPublisher(config)).history, limit)
    },
    async findChange(id: number) {
      const { toChangeJson } = await import('../features/publishing/index.ts')
      return toChangeJson(await (await openPublisher(config)).history.find(id))
    },
    undo: (id: number, dryRun: boolean) =>
      withPublisher(config, async (publisher) => {
        const { entry, ...undone } = await publisher.undo(id, { by: COMMAND, dryRun })
        return { ...undone, entry: entry as Pick<HistoryEntry, 'change' | 'subject'> }
      }),

    addBan: (address: string, { reason, ms }: { readonly reason: string; readonly ms: number }) =>
      withBans(async (bans, { toBanJson }) => {
        const ban = await bans.add(address, { reason, by: 'operator', ms })
        if (!ban)
          throw new OperatorError(
            `${address} is in BAN_EXEMPT or TRUST_PROXY, or of this machine or its gateway: it is never banned.`,
          )
        return toBanJson(ban)
      }),
    listBans: () => withBans(async (bans, { toBanJson }) => (await bans.list()).map(toBanJson)),
    liftBan: (address: string) =>
      withBans(async (bans) => {
        if (!(await bans.lift(address))) throw new OperatorError(`${address} is not banned.`)
      }),

    listClients: (state?: ClientState) =>
      withClients(async (clients, { toClientJson }) => (await clients.list(state)).map(toClientJson)),
    grantClient: (id: string) =>
      withClients(async (clients, { toClientJson }) => {
        const { key, client } = await clients.grant(id)
        return { key, client: toClientJson(client) }
      }),
    decideClient: (id: string, decision: 'refuse' | 'revoke') =>
      withClients(async (clients, { toClientJson }) => toClientJson(await clients[decision](id))),

    createToken: (label: string, scopes: readonly Scope[], expiresAt: number | null) =>
      withTokens(async (tokens, { toTokenJson }) => {
        const { token, secret } = await tokens.create(label, ['read', ...scopes], expiresAt)
        return { token: toTokenJson(token), secret }
      }),
    listTokens: () => withTokens(async (tokens, { toTokenJson }) => (await tokens.list()).map(toTokenJson)),
    revokeToken: (id: string) => withTokens(({ revoke }) => revoke(id)),

    ...createLocalContent(config),

    /** Download counts of the last days, including today (UTC). */
    listDownloads: (days: number) =>
      withStore(config, async ({ downloads }) => {
        const { selectLastDays } = await import('../platform/store/index.ts')
        return selectLastDays(await downloads.rows(), days)
      }),
    /** The usage history of the last days, including today (UTC). */
    readUsage: (days: number) =>
      withStore(config, async ({ usage }) => {
        const { readUsageDays } = await import('../features/usage/index.ts')
        return readUsageDays(usage, days)
      }),
  }
}

export type ContentService = ReturnType<typeof createLocalContent>

/** What a service knows about its content, its blocklists and itself. */
const createLocalContent = (config: Config) => ({
  async runDoctor(context: Parameters<typeof runChecks>[1], onProgress: Progress['show']) {
    const { checks, runChecks } = await import('./doctor/index.ts')
    return runChecks(checks, context, onProgress)
  },

  /** The kinds of random content, and the number of problems. */
  async readKinds(onProgress: Progress['show']) {
    await assertContentFolder(config.CONTENT_DIR)
    const { createArtist, openContent } = await import('../features/content/index.ts')
    const options = { dir: config.CONTENT_DIR, artist: createArtist(), pooledDrawings: 0, log: silentLog, onProgress }
    return withClosing(await openContent(options), async (content) => {
      await content.whenIndexed()
      return { kinds: content.catalogue(), problems: content.problems().length }
    })
  },

  async checkContent(onProgress: Progress['show']) {
    const { CONTENT_DIR } = config
    await assertContentFolder(CONTENT_DIR)
    const { checkContent } = await import('../features/content/index.ts')
    const { catalogue, problems } = await checkContent(CONTENT_DIR, { onProgress })
    const releaseProblems = await withReleases(CONTENT_DIR, (releases) => prefixAppFolder(releases.problems()))
    const pictures = catalogue.animals.reduce((sum, kind) => sum + kind.count, 0)
    return { pictures, problems: [...problems, ...releaseProblems] }
  },

  async acceptContent(names: readonly string[], onProgress: Progress['show']) {
    await assertContentFolder(config.CONTENT_DIR)
    const { acceptGroups } = await import('../features/publishing/index.ts')
    return acceptGroups(await readGroups(config, onProgress), names)
  },

  readBlocklists: () =>
    withBlocklist(config, async (blocklist) => {
      const lists: readonly BlocklistInfo[] = blocklist.infos()
      const origins = await Promise.all(lists.map((list) => readOrigin(list, config)))
      return { lists, origins, problem: blocklist.problem() }
    }),
  /** `source`: a URL or the path of a file. */
  async updateBlocklist(
    source: string,
    options: { readonly force: boolean; readonly onProgress: (stage: string) => void },
  ): Promise<{ readonly changed: boolean; readonly entries: number; readonly sha256: string }> {
    const { downloadedListFile, UpdateError, updateBlocklist } = await import('../features/blocklist/index.ts')
    try {
      return await updateBlocklist({ ...options, source, target: downloadedListFile(config.DATA_DIR), log: silentLog })
    } catch (error) {
      if (!(error instanceof UpdateError)) throw error
      const hint = error.canBeForced ? ' Update with --force to accept it.' : ''
      throw new OperatorError(`The list was rejected: ${error.message}.${hint}`)
    }
  },
  /** Undefined: the host is not blocked. */
  findBlockingEntry: (host: string) => withBlocklist(config, async (blocklist) => blocklist.entryFor(host)),
})

async function readGroups(config: Config, onProgress: Progress['show']) {
  const { CONTENT_DIR, DATA_DIR } = config
  const lastGoodFolder = lastGoodIn(DATA_DIR)
  const { checkContent } = await import('../features/content/index.ts')
  const { listGroups } = await import('../features/publishing/index.ts')
  const { entryCounts: content } = await checkContent(CONTENT_DIR, { onProgress, lastGoodFolder })
  const blocklists = await withBlocklist(config, async (blocklist) => blocklist.entryCounts())
  const releases = await withReleases(CONTENT_DIR, (releases) => releases.entryCounts(), lastGoodFolder)
  return listGroups({ contentDir: CONTENT_DIR, dataDir: DATA_DIR }, { content, releases, blocklists })
}

/** The operator also sees the file and its full source. The public API shows only a name or a host. */
async function readOrigin({ source, sha256 }: BlocklistInfo, { DATA_DIR, CONTENT_DIR }: Config) {
  const { contentListFile, downloadedListFile, readOrigin } = await import('../features/blocklist/index.ts')
  if (source === 'content') return { list: contentListFile(CONTENT_DIR) }
  const list = downloadedListFile(DATA_DIR)
  return { list, from: (await readOrigin(list, sha256))?.requested ?? source }
}
