import { UsageError } from '../../errors/index.ts'
import { type ArgumentSpec, defineCommand } from '../command.ts'
import type { OperatorService } from '../local-service.ts'
import { colourDiff, defineChange, settings } from '../publish-options.ts'
import type { Format } from '../text.ts'
import { printable } from '../text.ts'

const DEFAULT_LIMIT = 20

const id = { name: 'id', help: 'Id of the change. "history list" shows it.' } as const satisfies ArgumentSpec

export const historyList = defineCommand({
  name: 'history list',
  summary: 'Lists changes to the published content, newest first.',
  settings,
  options: { limit: { value: 'number', help: `Maximum number of changes. Default: ${DEFAULT_LIMIT}.` } },
  examples: ['history list', 'history list --limit 100'],
  run: async ({ service, options: { limit = String(DEFAULT_LIMIT) }, format }) => {
    const history = await service.listHistory(parseNumber(limit, '--limit'))
    const rows = history.map(({ id, at, by, change, subject, files, undoneBy }) => ({
      id,
      made: format.time(at),
      by,
      change,
      subject,
      files: files.length,
      state: undoneBy === undefined ? '' : `undone by ${undoneBy}`,
    }))
    return { text: format.table(rows, 'Nothing was changed yet.'), value: { history } }
  },
})

export const historyShow = defineCommand({
  name: 'history show',
  summary: 'Shows a change with its removed and added lines.',
  settings,
  arguments: [id],
  examples: ['history show 12'],
  run: async ({ service, args, format }) => {
    const change = await service.findChange(parseNumber(args.id, 'The id'))
    return { text: formatEntry(change, format), value: { change } }
  },
})

export const historyUndo = defineChange({
  name: 'history undo',
  summary: 'Undoes a change. Refused if one of its files was changed since. An undo can be undone, too.',
  arguments: [id],
  examples: ['history undo 12', 'history undo 12 --dry-run'],
  change: async ({ service, args }, dryRun) => {
    const { entry, ...undone } = await service.undo(parseNumber(args.id, 'The id'), dryRun)
    return [`Undid "${entry.change} ${entry.subject}".`, undone]
  },
})

function parseNumber(text: string, subject: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`${subject} must be a whole number above 0, not "${text}".`)
  return Number(text)
}

type HistoryChange = Awaited<ReturnType<OperatorService['findChange']>>

function formatEntry({ files, id, at, by, change, subject }: HistoryChange, format: Format): string {
  const lines = files.flatMap(({ file, line, removed, added, bytes, state }) =>
    bytes === undefined
      ? [`${file}, line ${line + 1}:`, ...removed.map((text) => `-${text}`), ...added.map((text) => `+${text}`)]
      : [`${state === 'removed' ? '-' : '+'}${file} (${bytes} bytes)`],
  )
  const fields = format.fields({ id, made: format.exactTime(at), by, change, subject })
  return `${fields}\n\n${colourDiff(lines.map(printable).join('\n'))}`
}
