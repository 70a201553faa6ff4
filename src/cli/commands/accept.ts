import { dirname, join } from 'node:path'
import { styleText } from 'node:util'
import type { Config } from '../../config/config.ts'
import { UsageError } from '../../errors/index.ts'
import type { EntryCounts } from '../../platform/files/index.ts'
import { defineCommand } from '../command.ts'
import type { Progress } from '../terminal.ts'
import { formatCount } from '../text.ts'
import { assertContentFolder, lastGoodIn, withBlocklist, withPublishedReleases } from '../with-services.ts'

/** Groups whose confirmation is written to the same folder. */
interface GroupFolder {
  readonly folder: string
  /** Of the names that /readyz shows. */
  readonly prefix: string
  readonly entryCounts: readonly EntryCounts[]
}

export const contentAccept = defineCommand({
  name: 'content accept',
  summary:
    'Confirms that all or most text lists, releases, news, pictures or blocklist entries were removed on purpose. Until ' +
    'then, /readyz reports the removal, and the service continues to serve what was removed, except for pictures.',
  settings: ['CONTENT_DIR', 'DATA_DIR'],
  arguments: [
    {
      name: 'names',
      many: true,
      optional: true,
      help:
        'Names to confirm, as in /readyz, such as app/news. Blocklists: blocklist.txt is CONTENT_DIR/blocklist.txt, ' +
        'cache/blocklist.txt is the list set by "blocklist update" or BLOCKLIST_URL. Default: all.',
    },
  ],
  examples: ['content accept', 'content accept app/news kaomoji/own.txt'],
  run: async ({ config, args: { names }, progress }) => {
    await assertContentFolder(config.CONTENT_DIR)
    const { acceptEntries, isFolder } = await import('../../platform/files/index.ts')
    using bar = progress('Reading pictures')
    const folders = await readGroups(config, bar.show)
    const known = folders.flatMap(({ prefix, entryCounts }) => entryCounts.map(({ name }) => prefix + name))
    const unknown = names.find((name) => !known.includes(name))
    if (unknown !== undefined) throw new UsageError(`There is no "${unknown}". Known names: ${known.join(', ')}.`)

    const accepted: { name: string; before: number; now: number }[] = []
    const isComplete = names.length === 0
    for (const { folder, prefix, entryCounts } of folders) {
      const chosen = entryCounts.filter(({ name }) => isComplete || names.includes(prefix + name))
      const shrunk = chosen.filter(({ verdict }) => verdict === 'shrunk')
      // Another user may own the data folder, and a folder that never existed needs no confirmation.
      const isWritten = isComplete ? prefix !== FETCHED && (await isFolder(folder)) : chosen.length > 0
      if (shrunk.length === 0 && !isWritten) continue
      await acceptEntries(folder, Object.fromEntries(chosen.map(({ name, now }) => [name, now])), { isComplete })
      accepted.push(...shrunk.map(({ name, before, now }) => ({ name: prefix + name, before, now })))
    }
    const lines = accepted.map(
      ({ name, before, now }) => `${name}: ${formatCount(now, 'entry', 'entries')} instead of ${before}`,
    )
    const done =
      accepted.length === 0 ? 'Nothing had shrunk.' : 'Confirmed. A running service follows within two seconds.'
    return { text: [...lines, styleText('green', done)].join('\n'), value: { accepted } }
  },
})

const FETCHED = 'cache/'

async function readGroups(config: Config, onProgress: Progress['show']): Promise<GroupFolder[]> {
  const { CONTENT_DIR, DATA_DIR } = config
  const lastGoodFolder = lastGoodIn(DATA_DIR)
  const { checkContent } = await import('../../features/content/index.ts')
  const { fetchedListFile } = await import('../../features/blocklist/index.ts')
  const content = await checkContent(CONTENT_DIR, { onProgress, lastGoodFolder })
  const [fetched = [], own = []] = await withBlocklist(config, async (blocklist) => blocklist.entryCounts())
  const releases = await withPublishedReleases(CONTENT_DIR, (releases) => releases.entryCounts(), lastGoodFolder)
  return [
    { folder: CONTENT_DIR, prefix: '', entryCounts: [...content.entryCounts, ...own] },
    { folder: join(CONTENT_DIR, 'app'), prefix: 'app/', entryCounts: releases },
    { folder: dirname(fetchedListFile(DATA_DIR)), prefix: FETCHED, entryCounts: fetched },
  ]
}
