import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { acceptEntries, writeAtomically } from '../../../platform/files/index.ts'
import type { Problem } from '../../../platform/logging/index.ts'
import { type NewsSource, parseNews, parseNewsSource } from '../read/parse-news.ts'
import { listNewsFiles, NEWS_DIR } from '../read/read-files.ts'
import { isNewsId, isWebUrl, newsIdRule, urlRule } from '../read/schemas.ts'
import { type Change, diffLines, withLock } from './edit-file.ts'
import { assertInput, PublishError, parseInputDate } from './publish-error.ts'

interface NewsOptions {
  readonly dir: string
  readonly title: string
  readonly markdown: string
  /** Default: date and title. */
  readonly id?: string | undefined
  /** The time of publication. Default: now. */
  readonly at?: string | undefined
  readonly summary?: string | undefined
  readonly url?: string | undefined
  readonly dryRun?: boolean | undefined
}

export async function addNews(options: NewsOptions): Promise<Change & { id: string; date: string }> {
  const { dir, title, markdown, at = new Date().toISOString(), summary, url, dryRun } = options
  const date = parseInputDate(at)
  const id = options.id ?? createId(date, title)
  assertInput(isNewsId(id), 'The id', newsIdRule)
  assertInput(!url || isWebUrl(url), 'The URL', urlRule)
  const file = `${NEWS_DIR}/${id}.md`
  const frontMatter = { title, date, summary: summary || undefined, url: url || undefined }
  const text = `---\n${stringify(frontMatter, { lineWidth: 0 })}---\n\n${markdown.trim()}\n`
  const [problem] = parseNews(file, text).problems
  if (problem) throw new PublishError(`${problem.message}.`)
  return withLock(dir, dryRun, async () => {
    const existing = (await listNews(dir)).news.find((other) => other.id === id || other.file === file)
    if (existing) throw new PublishError(`${existing.file} already has the id "${existing.id}".`)
    if (!dryRun) await writeAtomically(join(dir, file), text)
    return { file, id, date, diff: diffLines('', text) }
  })
}

/** All news in the folder, newest first, including scheduled ones. */
export async function listNews(dir: string) {
  const news: Omit<NewsSource, 'markdown'>[] = []
  const problems: Problem[] = []
  for (const file of await listNewsFiles(dir)) {
    const parsed = parseNewsSource(file, await readFile(join(dir, file), 'utf8'))
    problems.push(...parsed.problems)
    if (!parsed.value) continue
    const { markdown: _, ...item } = parsed.value
    news.push(item)
  }
  return { news: news.sort((a, b) => (a.date < b.date ? 1 : -1)), problems }
}

export const removeNews = (dir: string, id: string, dryRun = false): Promise<Change> =>
  withLock(dir, dryRun, async () => {
    const { news } = await listNews(dir)
    const [found, other] = news.filter((item) => item.id === id)
    if (!found) throw new PublishError(`There is no news with the id "${id}".`)
    if (other) throw new PublishError(`${found.file} and ${other.file} both have the id "${id}"; change one of them.`)
    const text = await readFile(join(dir, found.file), 'utf8')
    if (!dryRun) {
      await acceptEntries(dir, { [NEWS_DIR]: news.length - 1 })
      await rm(join(dir, found.file))
    }
    return { file: found.file, diff: diffLines(text, '') }
  })

/** "2026-12-01-a-new-launcher" */
function createId(date: string, title: string): string {
  const slug = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return [date.slice(0, 10), slug.slice(0, 80).replace(/-+$/, '')].filter((part) => part !== '').join('-')
}
