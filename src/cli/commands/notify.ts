import { ROOT } from '../../config/root.ts'
import { OperatorError } from '../../errors/index.ts'
import { defineCommand } from '../command.ts'
import { paint } from '../text.ts'

export const notifyTest = defineCommand({
  name: 'notify test',
  summary: 'Sends a test message to each webhook. NOTIFY_URLS names them. Exit code 1 if one failed.',
  actsOn: 'machine',
  settings: ['NOTIFY_URLS', 'PUBLIC_URL'],
  examples: ['notify test', 'notify test --notify-urls ntfy+https://ntfy.example.org/alerts'],
  run: async ({ config: { NOTIFY_URLS: urls, PUBLIC_URL }, format }) => {
    if (urls.length === 0) throw new OperatorError('NOTIFY_URLS is empty. Set it to the URLs of your webhooks.')
    const { nameService, sendToAll } = await import('../../features/notifications/index.ts')
    const { readVersion } = await import('../../features/developer/index.ts')
    const { version } = await readVersion(ROOT)
    const title = `${nameService(PUBLIC_URL)}: test`
    const lines = ['This is a test message. Notifications reach this webhook.']
    const notification = { event: 'test', title, lines, priority: 'default' } as const
    const results = await sendToAll({ urls, userAgent: `Menagerie/${version}` }, notification)
    const rows = results.map(({ webhook, problem }) => ({ webhook, result: problem ?? 'sent' }))
    const ok = results.every(({ problem }) => problem === undefined)
    const summary = ok ? paint('green', 'All messages were sent.') : paint('red', 'Some messages were not sent.')
    return { ok, text: `${format.table(rows, '')}\n${summary}`, value: { results } }
  },
})
