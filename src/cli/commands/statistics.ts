import { UsageError } from '../../errors/index.ts'
import type { UsageSummary } from '../../features/usage/index.ts'
import { defineCommand } from '../command.ts'
import { application } from '../publish-options.ts'

const DEFAULT_DAYS = 30
/** The same limit as that of the endpoint. */
const MAX_DOWNLOAD_DAYS = 3660
/** The store keeps no older days. */
const MAX_USAGE_DAYS = 400
/** Names to show per list. */
const MAX_NAMES = 10

const describeDays = (max: number) => ({
  value: 'number',
  help: `Number of days, including today (UTC), at most ${max}. Default: ${DEFAULT_DAYS}.`,
})

function parseDays(text = String(DEFAULT_DAYS), max: number): number {
  if (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= max) return Number(text)
  throw new UsageError(`--days must be a whole number from 1 to ${max}, not "${text}".`)
}

/** Lines end with \n, because the output escapes \r. */
async function printCsv(rows: readonly (readonly (string | number)[])[]): Promise<string> {
  const { formatCsv } = await import('../../http/kernel/replies.ts')
  return formatCsv(rows).replaceAll('\r\n', '\n').trimEnd()
}

export const downloads = defineCommand({
  name: 'downloads',
  summary: 'Shows downloads by day, application and version.',
  settings: ['STORE_URL', 'DATA_DIR'],
  arguments: [{ ...application, help: 'Only this application.', optional: true }],
  options: { days: describeDays(MAX_DOWNLOAD_DAYS), csv: { help: 'Prints CSV.' } },
  examples: ['downloads', 'downloads launcher --days 365 --csv'],
  run: async ({ service, args, options: { days, csv }, format }) => {
    const all = await service.listDownloads(parseDays(days, MAX_DOWNLOAD_DAYS))
    const downloads = all.filter((row) => !args.application || row.application === args.application)
    const rows = downloads.map(({ day, application, version, count }) => ({ day, application, version, count }))
    if (!csv) return { text: format.table(rows, 'There are no downloads.'), value: { downloads } }
    const cells = rows.map((row) => Object.values(row))
    return { text: await printCsv([['day', 'application', 'version', 'count'], ...cells]), value: { downloads } }
  },
})

export const usage = defineCommand({
  name: 'usage',
  summary: 'Shows the usage history. It counts requests by day, endpoint, kind, filter, referring site and user agent.',
  settings: ['STORE_URL', 'DATA_DIR'],
  options: {
    days: describeDays(MAX_USAGE_DAYS),
    csv: { help: 'Prints CSV, with one row per day, dimension and name.' },
  },
  examples: ['usage', 'usage --days 400 --csv'],
  run: async ({ service, format, options: { days, csv } }) => {
    const read = await service.readUsage(parseDays(days, MAX_USAGE_DAYS))
    const { listUsageCells, summarizeUsage } = await import('../../features/usage/index.ts')
    const summary = summarizeUsage(read)
    const value = { usage: summary }
    if (csv) return { text: await printCsv(listUsageCells(read)), value }
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
    return { text: text.join('\n\n') || format.table([], 'There were no requests.'), value }
  },
})

type NamedCounts = Omit<UsageSummary['endpoints'][number], 'served'>

const toRows = (heading: string, rows: readonly NamedCounts[]) =>
  rows.map(({ name, requests, refused, sourceFailed, failed }) => ({
    [heading]: name,
    requests,
    refused,
    'source failed': sourceFailed,
    failed,
  }))
