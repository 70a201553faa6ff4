import type { Config } from '../../config/config.ts'
import { UsageError } from '../../errors/index.ts'
import type { HistoryEntry } from '../../features/publishing/index.ts'
import { type ArgumentSpec, defineCommand } from '../command.ts'
import { colourDiff, dryRunOption, formatChange } from '../publish-options.ts'
import { formatFields, formatTable, formatTime, printable } from '../text.ts'
import { COMMAND, withReleases } from '../with-services.ts'

const settings = ['CONTENT_DIR', 'DATA_DIR'] as const
const DEFAULT_LIMIT = 20

const id = { name: 'id', help: 'Id of the change. "history list" shows it.' } as const satisfies ArgumentSpec

async function openPublisher({ CONTENT_DIR, DATA_DIR }: Config) {
  const { createPublisher } = await import('../../features/publishing/index.ts')
  return createPublisher({ contentDir: CONTENT_DIR, dataDir: DATA_DIR })
}

export const historyList = defineCommand({
  name: 'history list',
  summary: 'Lists the changes of what is published, newest first.',
  settings,
  options: { limit: { value: 'number', help: `Maximum number of changes. Default: ${DEFAULT_LIMIT}.` } },
  examples: ['history list', 'history list --limit 100'],
  run: async ({ config, options: { limit = String(DEFAULT_LIMIT) } }) => {
    const entries = await (await openPublisher(config)).history.list(parseNumber(limit, '--limit'))
    const rows = entries.map(({ id, at, by, change, subject }) => ({
      id: String(id),
      time: formatTime(at),
      by,
      change,
      subject,
    }))
    const history = entries.map(({ files, ...entry }) => ({ ...entry, files: files.map(({ file }) => file) }))
    return { text: formatTable(rows, 'Nothing was changed yet.'), value: { history } }
  },
})

export const historyShow = defineCommand({
  name: 'history show',
  summary: 'Shows a change with the lines before and after it.',
  settings,
  arguments: [id],
  examples: ['history show 12'],
  run: async ({ config, args }) => {
    const change = await (await openPublisher(config)).history.find(parseNumber(args.id, 'The id'))
    return { text: formatEntry(change), value: { change } }
  },
})

export const historyUndo = defineCommand({
  name: 'history undo',
  summary: 'Undoes a change. Refused if one of its files was changed since. An undo can be undone, too.',
  settings,
  arguments: [id],
  options: dryRunOption,
  examples: ['history undo 12', 'history undo 12 --dry-run'],
  run: ({ config, args, options: { 'dry-run': dryRun } }) =>
    withReleases(config, async () => {
      const publisher = await openPublisher(config)
      const { entry, ...undone } = await publisher.undo(parseNumber(args.id, 'The id'), { by: COMMAND, dryRun })
      return formatChange(`Undid "${entry.change} ${entry.subject}".`, undone, dryRun)
    }),
})

function parseNumber(text: string, subject: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`${subject} must be a whole number above 0, not "${text}".`)
  return Number(text)
}

function formatEntry({ files, id, at, by, change, subject }: HistoryEntry): string {
  const lines = files.flatMap(({ file, line, removed, added }) => [
    `${file}, line ${line + 1}:`,
    ...removed.map((text) => `-${text}`),
    ...added.map((text) => `+${text}`),
  ])
  const fields = formatFields({ id, time: formatTime(at), by, change, subject })
  return `${fields}\n\n${colourDiff(lines.map(printable).join('\n'))}`
}
