import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { writeAtomically } from '../../../platform/files/index.ts'
import { type NewsHeading, readNews, readNewsHeading } from '../read/news.ts'
import type { Problem } from '../read/problem.ts'
import { namesIn } from '../read/stats.ts'
import { isNewsId, isWebUrl, newsIdRule, urlRule } from '../rules.ts'
import { dateGiven } from './date-given.ts'
import { lineDiff } from './diff.ts'
import type { Change } from './edit.ts'
import { withLock } from './lock.ts'
import { demandWords, PublishError } from './publish-error.ts'

export interface NewsOptions {
  readonly dir: string
  readonly title: string
  readonly markdown: string
  /** Made of date and title where none is given. */
  readonly id?: string | undefined
  /** When it becomes public; now where nothing is said. */
  readonly at?: string | undefined
  readonly summary?: string | undefined
  readonly url?: string | undefined
  readonly dryRun?: boolean | undefined
}

export async function addNews(options: NewsOptions): Promise<Change & { id: string }> {
  const { dir, title, markdown, at = new Date().toISOString(), summary, url, dryRun } = options
  const date = dateGiven(at)
  const id = options.id ?? idFor(date, title)
  demandWords(isNewsId(id), 'The id', newsIdRule)
  demandWords(!url || isWebUrl(url), 'The URL', urlRule)
  const file = `news/${id}.md`
  const head = { title, date, ...(summary && { summary }), ...(url && { url }) }
  const text = `---\n${stringify(head, { lineWidth: 0 })}---\n\n${markdown.trim()}\n`
  const [problem] = readNews(file, text).problems
  if (problem) throw new PublishError(`${problem.message}.`)
  const add = async () => {
    const rival = (await listNews(dir)).news.find((other) => other.id === id || other.file === file)
    if (rival) throw new PublishError(`${rival.file} has the id "${rival.id}" already.`)
    if (!dryRun) await writeAtomically(join(dir, file), text)
    return { file, id, diff: lineDiff('', text) }
  }
  return dryRun ? add() : withLock(dir, add)
}

/** Every piece of news in the folder, newest first, also those with a date in the future. */
export async function listNews(dir: string) {
  const news: Omit<NewsHeading, 'body'>[] = []
  const problems: Problem[] = []
  for (const name of await namesIn(join(dir, 'news'))) {
    if (!name.endsWith('.md')) continue
    const read = readNewsHeading(`news/${name}`, await readFile(join(dir, 'news', name), 'utf8'))
    problems.push(...read.problems)
    if (!read.value) continue
    const { body: _, ...heading } = read.value
    news.push(heading)
  }
  return { news: news.sort((a, b) => (a.date < b.date ? 1 : -1)), problems }
}

export async function removeNews(dir: string, id: string, dryRun = false): Promise<Change> {
  const remove = async () => {
    const [found, rival] = (await listNews(dir)).news.filter((item) => item.id === id)
    if (!found) throw new PublishError(`There is no news with the id "${id}".`)
    if (rival) throw new PublishError(`${found.file} and ${rival.file} both have the id "${id}"; mend that first.`)
    const text = await readFile(join(dir, found.file), 'utf8')
    if (!dryRun) await rm(join(dir, found.file))
    return { file: found.file, diff: lineDiff(text, '') }
  }
  return dryRun ? remove() : withLock(dir, remove)
}

/** "2026-12-01-a-new-launcher" */
function idFor(date: string, title: string): string {
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return [date.slice(0, 10), words.slice(0, 80).replace(/-+$/, '')].filter((part) => part !== '').join('-')
}
