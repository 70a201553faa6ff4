import { basename } from 'node:path'
import { CommandError, defineCommand, UsageError } from '../command.ts'
import { withReleases } from '../open.ts'
import { at, changed, dryRun, fromWhen } from '../publishing.ts'
import { readText } from '../read-text.ts'
import { moment, table } from '../text.ts'

type ReadDraft = typeof import('../../features/releases/index.ts')['readNewsDraft']

export const newsAdd = defineCommand({
  name: 'news add',
  summary: 'Publishes a piece of news, from a Markdown file or from the words given.',
  settings: ['CONTENT_DIR'],
  arguments: [
    {
      name: 'file',
      optional: true,
      completes: 'files',
      help: 'Markdown; front matter may hold title, date, id, summary, url.',
    },
  ],
  options: {
    title: { type: 'string', value: 'text', help: 'Its title, where the file has no front matter.' },
    text: { type: 'string', value: 'markdown', help: 'The news itself, instead of a file.' },
    id: { type: 'string', value: 'id', help: 'Its id; made of date and title otherwise.' },
    summary: { type: 'string', value: 'text', help: 'A sentence for lists; the first paragraph otherwise.' },
    url: { type: 'string', value: 'URL', help: 'Where it can be read in full.' },
    ...at,
    ...dryRun,
  },
  examples: ['news add launcher-2.1.md', 'news add --title "Servers are back" --text "All is well again."'],
  run: ({ config, args: { file }, options: { 'dry-run': dryRun, text, ...given } }) =>
    withReleases(config, async ({ addNews, readNewsDraft }, dir) => {
      if ((file === undefined) === (text === undefined)) throw new UsageError('News come from either a file or --text.')
      const read = file === undefined ? { markdown: text ?? '' } : await readNewsFile(file, readNewsDraft)
      const { title, markdown, ...wish } = { ...read, ...withoutUndefined(given) }
      if (title === undefined) throw new UsageError('News need a title: give it with --title, or in front matter.')
      const added = await addNews({ dir, title, markdown, ...wish, dryRun })
      return changed(`Added the news "${added.id}"${fromWhen(wish.at ?? '')}.`, added, dryRun)
    }),
})

interface NewsFile {
  readonly markdown: string
  readonly title?: string
  readonly id?: string
  readonly at?: string
  readonly summary?: string | undefined
  readonly url?: string | undefined
}

async function readNewsFile(path: string, readDraft: ReadDraft): Promise<NewsFile> {
  const { value, problems } = readDraft(basename(path), await readText(path))
  if (!value) throw new CommandError(`${path}, line ${problems[0]?.line}: ${problems[0]?.message}.`)
  const { body, date, ...rest } = value
  return { ...rest, ...(date !== undefined && { at: date }), markdown: body }
}

const withoutUndefined = <T extends object>(given: T) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: NonNullable<T[Name]>
  }

export const newsList = defineCommand({
  name: 'news list',
  summary: 'Lists the news, newest first, also those that are scheduled.',
  settings: ['CONTENT_DIR'],
  examples: ['news list'],
  run: ({ config, note }) =>
    withReleases(config, async ({ listNews }, dir) => {
      const { news, problems } = await listNews(dir)
      for (const { file, line, message } of problems) note(`app/${file}:${line}: ${message}.`)
      const rows = news.map(({ id, title, date }) => [id, moment(date), stateOf(date), title])
      const text = rows.length > 0 ? table(['id', 'date', 'state', 'title'], rows) : 'There are no news yet.'
      return { text, value: { news, problems } }
    }),
})

const stateOf = (date: string) => (Date.parse(date) > Date.now() ? 'scheduled' : 'public')

export const newsRemove = defineCommand({
  name: 'news remove',
  summary: 'Takes a piece of news away.',
  settings: ['CONTENT_DIR'],
  arguments: [{ name: 'id', help: 'As "news list" shows it.', completes: 'news' }],
  options: dryRun,
  examples: ['news remove 2026-12-01-servers-are-back'],
  run: ({ config, args: { id }, options: { 'dry-run': dryRun } }) =>
    withReleases(config, async ({ removeNews }, dir) =>
      changed(`Removed the news "${id}".`, { id, ...(await removeNews(dir, id, dryRun)) }, dryRun),
    ),
})
