// The service on this machine: its content folder and its store.
import type { Config } from '../config/config.ts'
import { OperatorError } from '../errors/index.ts'
import type { Bans, Clients, Tokens } from '../features/access/index.ts'
import type { Publisher } from '../features/publishing/index.ts'
import { createLocalContent } from './local-content.ts'
import type { OperatorService } from './service.ts'
import {
  COMMAND,
  openPublisher,
  silentLog,
  withClosing,
  withPublisher,
  withReleases,
  withStore,
} from './with-services.ts'

export function createLocalService(config: Config): OperatorService {
  const readPublished = <T>(work: (publisher: Publisher) => Promise<T>) =>
    withReleases(config, async () => work(await openPublisher(config)))

  const withBans = <T>(work: (bans: Bans) => Promise<T>) =>
    withStore(config, async (store) => {
      const { Bans } = await import('../features/access/index.ts')
      const { BAN_EXEMPT: exempt, TRUST_PROXY: proxies } = config
      return withClosing(new Bans(store.bans, store.strikes, { exempt, proxies, log: silentLog }), work)
    })

  const withClients = <T>(work: (clients: Clients) => Promise<T>) =>
    withStore(config, async (store) => {
      const { createClients } = await import('../features/access/index.ts')
      return work(createClients(store.clients))
    })

  const withTokens = <T>(work: (tokens: Tokens) => Promise<T>) =>
    withStore(config, async (store) => {
      const { createTokens } = await import('../features/access/index.ts')
      return work(createTokens(store.tokens))
    })

  return {
    isRemote: false,
    apply: (name, input, dryRun) =>
      withPublisher(config, (publisher) => publisher.apply(name, input, { by: COMMAND, dryRun })),
    listReleases: () => readPublished((publisher) => publisher.listReleases()),
    listResources: () => readPublished((publisher) => publisher.listResources()),
    listNews: () => readPublished((publisher) => publisher.listNews()),
    readList: (category, kind) => readPublished(async (publisher) => (await publisher.readList(category, kind)).entry),
    readNews: (id, lang) => readPublished(async (publisher) => (await publisher.readNews(id, lang)).entry),
    readPictures: (kind) => readPublished(async (publisher) => (await publisher.readPictures(kind)).entry),
    readTier: (tier) => readPublished(async (publisher) => (await publisher.readTier(tier)).entry),

    async listHistory(limit) {
      const { listHistory } = await import('../features/publishing/index.ts')
      return listHistory((await openPublisher(config)).history, limit)
    },
    async findChange(id) {
      const { shapeChange } = await import('../features/publishing/index.ts')
      return shapeChange(await (await openPublisher(config)).history.find(id))
    },
    undo: (id, dryRun) => withPublisher(config, (publisher) => publisher.undo(id, { by: COMMAND, dryRun })),

    addBan: (address, { reason, ms }) =>
      withBans(async (bans) => {
        const ban = await bans.add(address, { reason, by: 'operator', ms })
        if (!ban) throw new OperatorError(`${address} is in BAN_EXEMPT or TRUST_PROXY, so it cannot be banned.`)
        return ban
      }),
    listBans: () => withBans((bans) => bans.list()),
    liftBan: (address) =>
      withBans(async (bans) => {
        if (!(await bans.lift(address))) throw new OperatorError(`${address} is not banned.`)
      }),

    listClients: (state) => withClients(({ list }) => list(state)),
    grantClient: (id) => withClients(({ grant }) => grant(id)),
    decideClient: (id, decision) => withClients((clients) => clients[decision](id)),

    createToken: (label, scopes, expiresAt) =>
      withTokens(({ create }) => create(label, ['read', ...scopes], expiresAt)),
    listTokens: () => withTokens(({ list }) => list()),
    revokeToken: (id) => withTokens(({ revoke }) => revoke(id)),

    ...createLocalContent(config),
    async runDoctor(context, onProgress) {
      const { checks, runChecks } = await import('./doctor/index.ts')
      return runChecks(checks, context, onProgress)
    },

    listDownloads: (days) =>
      withStore(config, async ({ downloads }) => {
        const { selectLastDays } = await import('../platform/store/index.ts')
        return selectLastDays(await downloads.rows(), days)
      }),
  }
}
