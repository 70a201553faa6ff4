import { UsageError } from '../../errors/index.ts'
import { defineCommand } from '../command.ts'
import { application } from '../publish-options.ts'

const DEFAULT_DAYS = 30
/** The same limit as that of the endpoint. */
const MAX_DAYS = 3660

export const downloads = defineCommand({
  name: 'downloads',
  summary: 'Shows downloads by day, application and version.',
  settings: ['STORE_URL', 'DATA_DIR'],
  arguments: [{ ...application, help: 'Only this application.', optional: true }],
  options: {
    days: {
      value: 'number',
      help: `Number of days, including today (UTC), at most ${MAX_DAYS}. Default: ${DEFAULT_DAYS}.`,
    },
    csv: { help: 'Prints CSV.' },
  },
  examples: ['downloads', 'downloads launcher --days 365 --csv'],
  run: async ({ service, args, options: { days = String(DEFAULT_DAYS), csv }, format }) => {
    if (!/^[1-9]\d{0,3}$/.test(days) || Number(days) > MAX_DAYS) {
      throw new UsageError(`--days must be a whole number from 1 to ${MAX_DAYS}, not "${days}".`)
    }
    const all = await service.listDownloads(Number(days))
    const downloads = all.filter((row) => !args.application || row.application === args.application)
    const rows = downloads.map(({ day, application, version, count }) => ({ day, application, version, count }))
    if (!csv) return { text: format.table(rows, 'There are no downloads.'), value: { downloads } }
    const { formatCsv } = await import('../../http/kernel/replies.ts')
    const cells = downloads.map(({ day, application, version, count }) => [day, application, version, count])
    const text = formatCsv([['day', 'application', 'version', 'count'], ...cells])
    return { text: text.trimEnd(), value: { downloads } }
  },
})
