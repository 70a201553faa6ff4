// Commands about files in CONTENT_DIR: what was removed or edited there, and the lists of texts and videos.
import { UsageError } from '../../errors/index.ts'
import { type ArgumentSpec, defineCommand } from '../command.ts'
import { defineChange, readText, settings } from '../publish-options.ts'
import { formatCount, paint, printable, printableLines } from '../text.ts'
import { COMMAND, withPublisher } from '../with-services.ts'

export const contentAccept = defineCommand({
  name: 'content accept',
  summary:
    'Confirms that content was removed on purpose. Needed after all or most entries of a list, of the releases, the ' +
    'news, a blocklist or the pictures of a kind were removed. Until then, /readyz reports the removal, and the service ' +
    'continues to serve what was removed, except for pictures.',
  settings,
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
  run: async ({ service, args: { names }, progress }) => {
    using bar = progress('Reading pictures')
    const accepted = await service.acceptContent(names, bar.show)
    const lines = accepted.map(
      ({ name, before, now }) => `${name}: ${formatCount(now, 'entry', 'entries')} instead of ${before}`,
    )
    const done =
      accepted.length === 0 ? 'Nothing had shrunk.' : 'Confirmed. A running service applies it within two seconds.'
    return { text: [...lines, paint('green', done)].join('\n'), value: { accepted } }
  },
})

export const contentEdits = defineCommand({
  name: 'content edits',
  actsOn: 'files',
  summary:
    'Lists, publishes or discards edits of this node. Only with Redis. Edits are files in CONTENT_DIR that differ from ' +
    'those that all nodes publish.',
  settings: ['CONTENT_DIR', 'DATA_DIR', 'STORE_URL', 'CONTENT_SYNC'],
  options: {
    publish: { help: 'Publishes the edits to all nodes. "history undo" undoes them.' },
    discard: { help: 'Restores the published files. Copies of the edits stay in DATA_DIR/sync/replaced.' },
  },
  examples: ['content edits', 'content edits --publish'],
  run: async ({ config, options: { publish, discard }, format }) => {
    if (publish && discard) throw new UsageError('Use either --publish or --discard.')
    return withPublisher(config, async (_, sync) => {
      if (!sync) return { text: 'This node shares no content with others.', value: { files: [] } }
      const { publishEdits } = await import('../../features/publishing/index.ts')
      const folders = { contentDir: config.CONTENT_DIR, dataDir: config.DATA_DIR }
      if (publish) {
        const files = await publishEdits({ ...folders, sync, by: COMMAND })
        return { text: `Published ${formatCount(files.length, 'file')}.`, value: { files } }
      }
      const { edited: files } = await sync.differences()
      if (discard) await sync.discard(files)
      const text = discard
        ? `Discarded the edits of ${formatCount(files.length, 'file')}.`
        : files.map(printable).join('\n') || format.table([], 'Nothing was edited.')
      return { text, value: { files } }
    })
  },
})

const list = [
  {
    name: 'category',
    help: 'The category. Texts have one item per line, yt-video is YAML with id and title.',
    choices: ['string', 'kaomoji', 'yt-video'],
  },
  { name: 'kind', help: 'The kind, such as 8ball.' },
] as const satisfies readonly ArgumentSpec[]

export const listShow = defineCommand({
  name: 'list show',
  summary: 'Prints the list of texts or videos of a kind.',
  settings,
  arguments: list,
  examples: ['list show string 8ball'],
  run: async ({ service, args }) => {
    const { file, text } = await service.readList(args.category, args.kind)
    return { text: printableLines(text.trimEnd()), value: { file, text } }
  },
})

export const listPut = defineChange({
  name: 'list put',
  summary: 'Publishes the list of texts or videos of a kind. Replaces an existing list. A new kind is created.',
  arguments: [...list, { name: 'file', help: 'File with the complete list.', completes: 'files' }],
  options: { force: { help: 'Allows a list with less than half of the current entries.' } },
  examples: ['list put string fortune fortunes.txt', 'list put yt-video hl-cats videos.yaml --dry-run'],
  change: async ({ service, args: { file, ...args }, options: { force } }, dryRun) => {
    const change = await service.apply('list put', { ...args, text: await readText(file), force }, dryRun)
    return [`Published ${args.category}/${args.kind}.`, { ...args, ...change }]
  },
})

export const listRemove = defineChange({
  name: 'list remove',
  summary: 'Removes the list of a kind. A built-in kind then has its default list.',
  arguments: list,
  examples: ['list remove string fortune'],
  change: async ({ service, args }, dryRun) => {
    const change = await service.apply('list remove', args, dryRun)
    return [`Removed ${args.category}/${args.kind}.`, { ...args, ...change }]
  },
})
