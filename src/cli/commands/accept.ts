import { styleText } from 'node:util'
import { defineCommand } from '../command.ts'
import { formatCount } from '../text.ts'

export const contentAccept = defineCommand({
  name: 'content accept',
  summary:
    'Confirms that all or most text lists, releases, news, pictures or blocklist entries were removed on purpose. Until ' +
    'then, /readyz reports the removal, and the service continues to serve what was removed, except for pictures.',
  actsOn: 'service',
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
  run: async ({ service, args: { names }, progress }) => {
    using bar = progress('Reading pictures')
    const accepted = await service.acceptContent(names, bar.show)
    const lines = accepted.map(
      ({ name, before, now }) => `${name}: ${formatCount(now, 'entry', 'entries')} instead of ${before}`,
    )
    const done =
      accepted.length === 0 ? 'Nothing had shrunk.' : 'Confirmed. A running service follows within two seconds.'
    return { text: [...lines, styleText('green', done)].join('\n'), value: { accepted } }
  },
})
