// The parts of the local service that read its content folder and its blocklists.
import type { Config } from '../config/config.ts'
import { OperatorError } from '../errors/index.ts'
import type { BlocklistInfo } from '../features/blocklist/index.ts'
import type { OperatorService } from './service.ts'
import type { Progress } from './terminal.ts'
import {
  assertContentFolder,
  lastGoodIn,
  prefixAppFolder,
  silentLog,
  withBlocklist,
  withClosing,
  withPublishedReleases,
} from './with-services.ts'

type ContentMethods =
  | 'readKinds'
  | 'checkContent'
  | 'acceptContent'
  | 'readBlocklists'
  | 'findBlockingEntry'
  | 'updateBlocklist'

export const createLocalContent = (config: Config): Pick<OperatorService, ContentMethods> => ({
  async readKinds(onProgress) {
    await assertContentFolder(config.CONTENT_DIR)
    const { Content, createArtist } = await import('../features/content/index.ts')
    const options = { dir: config.CONTENT_DIR, artist: createArtist(), pooledDrawings: 0, log: silentLog, onProgress }
    return withClosing(await Content.open(options), async (content) => {
      await content.whenIndexed()
      return { kinds: content.catalogue(), problems: content.problems().length }
    })
  },

  async checkContent(onProgress) {
    const { CONTENT_DIR } = config
    await assertContentFolder(CONTENT_DIR)
    const { checkContent } = await import('../features/content/index.ts')
    const { catalogue, problems } = await checkContent(CONTENT_DIR, { onProgress })
    const releaseProblems = await withPublishedReleases(CONTENT_DIR, (releases) => prefixAppFolder(releases.problems()))
    const pictures = catalogue.animals.reduce((sum, kind) => sum + kind.count, 0)
    return { pictures, problems: [...problems, ...releaseProblems] }
  },

  async acceptContent(names, onProgress) {
    await assertContentFolder(config.CONTENT_DIR)
    const { acceptGroups } = await import('../features/publishing/index.ts')
    return acceptGroups(await readGroups(config, onProgress), names)
  },

  readBlocklists: () =>
    withBlocklist(config, async (blocklist) => {
      const lists = blocklist.infos()
      const origins = await Promise.all(lists.map((list) => readOrigin(list, config)))
      return { lists, origins, problem: blocklist.problem() }
    }),
  async updateBlocklist(source, options) {
    const { fetchedListFile, UpdateError, updateBlocklist } = await import('../features/blocklist/index.ts')
    try {
      return await updateBlocklist({ ...options, source, target: fetchedListFile(config.DATA_DIR), log: silentLog })
    } catch (error) {
      if (!(error instanceof UpdateError)) throw error
      const hint = error.canBeForced ? ' Update with --force to accept it.' : ''
      throw new OperatorError(`The list was rejected: ${error.message}.${hint}`)
    }
  },
  findBlockingEntry: (host) => withBlocklist(config, async (blocklist) => blocklist.entryFor(host)),
})

async function readGroups(config: Config, onProgress: Progress['show']) {
  const { CONTENT_DIR, DATA_DIR } = config
  const lastGoodFolder = lastGoodIn(DATA_DIR)
  const { checkContent } = await import('../features/content/index.ts')
  const { listGroups } = await import('../features/publishing/index.ts')
  const { entryCounts: content } = await checkContent(CONTENT_DIR, { onProgress, lastGoodFolder })
  const blocklists = await withBlocklist(config, async (blocklist) => blocklist.entryCounts())
  const releases = await withPublishedReleases(CONTENT_DIR, (releases) => releases.entryCounts(), lastGoodFolder)
  return listGroups({ contentDir: CONTENT_DIR, dataDir: DATA_DIR }, { content, releases, blocklists })
}

/** The operator also sees the file and its full source. The public API shows only a name or a host. */
async function readOrigin({ source, sha256 }: BlocklistInfo, { DATA_DIR, CONTENT_DIR }: Config) {
  const { contentListFile, fetchedListFile, readOrigin } = await import('../features/blocklist/index.ts')
  if (source === 'content') return { list: contentListFile(CONTENT_DIR) }
  const list = fetchedListFile(DATA_DIR)
  return { list, from: (await readOrigin(list, sha256))?.requested ?? source }
}
