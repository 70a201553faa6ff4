import type { KindSummary } from '../../../features/content/index.ts'
import { defineCommand } from '../../command.ts'
import { demandContentFolder, silent } from '../../open.ts'
import { table } from '../../text.ts'

/** The longest that a timer can wait: all pictures are counted, however many there are. */
const AS_LONG_AS_IT_TAKES = 2 ** 31 - 1

export const contentList = defineCommand({
  name: 'content list',
  summary: 'Lists the kinds of random content, and how many items each has.',
  settings: ['CONTENT_DIR'],
  examples: ['content list', 'content list --json'],
  run: async ({ config, progress }) => {
    await demandContentFolder(config.CONTENT_DIR)
    const { createArtist, openContent } = await import('../../../features/content/index.ts')
    using bar = progress('Reading pictures')
    const content = await openContent({
      dir: config.CONTENT_DIR,
      artist: createArtist({ maxBytes: 1, concurrency: 1 }),
      log: silent,
      onProgress: ({ done, total }) => bar.show(done, total),
      startWithinMs: AS_LONG_AS_IT_TAKES,
    })
    try {
      const [kinds, problems] = [content.catalogue(), content.problems().length]
      const rows = Object.entries(kinds).flatMap(([category, list]) =>
        list.map((summary) => [category, summary.kind, itemsOf(summary), typesOf(summary)]),
      )
      const hint = problems > 0 ? `\n\n${problems} problems; "menagerie content check" names them.` : ''
      return { text: table(['category', 'kind', 'items', 'types'], rows) + hint, value: { kinds, problems } }
    } finally {
      await content.close()
    }
  },
})

const itemsOf = ({ drawn, count }: KindSummary) => (drawn ? 'drawn' : String(count))

const typesOf = ({ types }: KindSummary) =>
  Object.entries(types)
    .map(([type, number]) => `${number} ${type}`)
    .join(', ')
