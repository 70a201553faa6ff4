import { UsageError } from '../../errors/index.ts'
import { defineCommand } from '../command.ts'
import { settings } from '../publish-options.ts'
import { formatCount, paint, printable } from '../text.ts'
import { COMMAND, withPublisher } from '../with-services.ts'

export const contentAccept = defineCommand({
  name: 'content accept',
  summary:
    'Confirms that content was removed on purpose. Needed after all or most text lists, releases, news, pictures or ' +
    'blocklist entries were removed. Until then, /readyz reports the removal, and the service continues to serve what was ' +
    'removed, except for pictures.',
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
      accepted.length === 0 ? 'Nothing had shrunk.' : 'Confirmed. A running service follows within two seconds.'
    return { text: [...lines, paint('green', done)].join('\n'), value: { accepted } }
  },
})

export const contentEdits = defineCommand({
  name: 'content edits',
  actsOn: 'files',
  summary:
    'Lists, publishes or discards edits of this node. Only with Redis. Edits are files in CONTENT_DIR that differ from what ' +
    'is published on all nodes.',
  settings: ['CONTENT_DIR', 'DATA_DIR', 'STORE_URL', 'CONTENT_SYNC'],
  options: {
    publish: { help: 'Publishes the edits to all nodes. "history undo" undoes them.' },
    discard: { help: 'Restores the published files. Copies of the edits stay in DATA_DIR/sync/replaced.' },
  },
  examples: ['content edits', 'content edits --publish'],
  run: async ({ config, options: { publish, discard } }) => {
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
        : files.map(printable).join('\n') || 'Nothing was edited.'
      return { text, value: { files } }
    })
  },
})
