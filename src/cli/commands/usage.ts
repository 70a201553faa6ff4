import { UsageError } from '../../errors/index.ts'
import { defineCommand } from '../command.ts'

const DEFAULT_DAYS = 30
/** The store keeps no older days. */
const MAX_DAYS = 400
/** Names to show per list. */
const MAX_NAMES = 10

export const usage = defineCommand({
  name: 'usage',
  summary: 'Shows the usage history: requests by day, endpoint, kind, filter, referring site and user agent.',
  settings: ['STORE_URL', 'DATA_DIR'],
  options: {
    days: {
      value: 'number',
      help: `Number of days, including today (UTC), at most ${MAX_DAYS}. Default: ${DEFAULT_DAYS}.`,
    },
    csv: { help: 'Prints CSV, with one row per day, dimension and name.' },
  },
  examples: ['usage', 'usage --days 400 --csv'],
  run: async ({ service, format, options: { days = String(DEFAULT_DAYS), csv } }) => {
    if (!/^[1-9]\d{0,2}$/.test(days) || Number(days) > MAX_DAYS) {
      throw new UsageError(`--days must be a whole number from 1 to ${MAX_DAYS}, not "${days}".`)
    }
    const { listUsageCells, summarizeUsage } = await import('../../features/usage/index.ts')
    const read = await service.readUsage(Number(days))
    const summary = summarizeUsage(read)
    const value = { usage: summary }
    if (csv) {
      const { formatCsv } = await import('../../http/kernel/replies.ts')
      return { text: formatCsv(listUsageCells(read)).trimEnd(), value }
    }
    const { daily, endpoints, kinds, filters, referrers, agents } = summary
    const lists = {
      endpoint: endpoints,
      kind: kinds,
      filter: filters,
      'referring site': referrers,
      'user agent': agents,
    }
    const tables = [
      toRows(
        'day',
        daily.filter(({ requests }) => requests > 0).map(({ date, ...counts }) => ({ name: date, ...counts })),
      ),
      ...Object.entries(lists).map(([heading, rows]) => toRows(heading, rows.slice(0, MAX_NAMES))),
    ]
    const text = tables.filter((rows) => rows.length > 0).map((rows) => format.table(rows, ''))
    return { text: text.join('\n\n') || 'There were no requests.', value }
  },
})

interface NamedCounts {
  readonly name: string
  readonly requests: number
  readonly refused: number
  readonly sourceFailed: number
  readonly failed: number
}

const toRows = (heading: string, rows: readonly NamedCounts[]) =>
  rows.map(({ name, requests, refused, sourceFailed, failed }) => ({
    [heading]: name,
    requests,
    refused,
    'source failed': sourceFailed,
    failed,
  }))
