// The operator's folder as last known good: a file that is wrong leaves what it held before in place.
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { dataFiles } from './data-files.ts'
import type { NewsItem } from './news.ts'
import { type Problem, type Read, refused } from './problem.ts'
import { type FileValue, LARGEST_DATA } from './read-file.ts'
import { openReader } from './reader.ts'
import type { ReleasesFile, ResourcesFile, TiersFile } from './schema.ts'
import { type FileStat, namesIn, statAll, statOf } from './stats.ts'

// A look at this many files costs about 10 ms; more are compared one by one only in every 20th look (30 s), which
// matters only where the system loses file events.
const FEW_FILES = 250
const LOOK_CLOSELY_EVERY = 20
const SETTLE_MS = 200

export interface Content {
  readonly releases: ReleasesFile
  readonly resources: ResourcesFile
  readonly tiers: TiersFile
  readonly news: readonly NewsItem[]
  readonly problems: readonly Problem[]
}

export interface Folder {
  /** What the folder holds now, or undefined where nothing changed since the last look. */
  look(surely: boolean): Promise<Content | undefined>
  close(): Promise<void>
}

interface Differences {
  readonly gone: readonly string[]
  readonly changed: ReadonlyMap<string, FileStat>
}

const dataNames = Object.keys(dataFiles)

export function openFolder(dir: string): Folder {
  const reader = openReader(dir)
  const good = new Map<string, FileValue>()
  const marks = new Map<string, string | undefined>()
  const problems = new Map<string, readonly Problem[]>()
  const owners = new Map<string, string>()
  let glance: string | undefined
  let looks = 0
  let first = true

  /** Cheap signs of change: the times of the YAML files and of the folder with the news. */
  const glanceOver = async () => {
    const stats = await Promise.all([...dataNames, 'news'].map((name) => statOf(join(dir, name))))
    return stats.some((found) => found && !found.mark) ? undefined : stats.map((found) => found?.mark).join('\n')
  }

  const take = (name: string, { value, problems: found }: Read<FileValue>) => {
    if (value) good.set(name, value)
    problems.set(name, found)
  }

  const forget = (name: string) => {
    for (const map of [good, marks, problems]) map.delete(name)
  }

  const differences = (stats: Map<string, FileStat>): Differences => ({
    gone: [...marks.keys()].filter((name) => !stats.has(name)),
    changed: new Map([...stats].filter(([name, { mark }]) => mark === undefined || marks.get(name) !== mark)),
  })

  /** Some editors empty a file, or put it away, before they write it anew: what still changes waits for the next look. */
  const settled = async ({ gone, changed }: Differences): Promise<Differences> => {
    const names = [...gone, ...changed.keys()]
    if (names.length > 0) await setTimeout(SETTLE_MS)
    const stats = await statAll(dir, names)
    return {
      gone: gone.filter((name) => !stats.has(name)),
      changed: new Map([...stats].filter(([name, { sign }]) => changed.get(name)?.sign === sign)),
    }
  }

  const look = async (surely: boolean): Promise<Content | undefined> => {
    const before = glance
    glance = await glanceOver()
    const closely = surely || marks.size <= FEW_FILES || looks++ % LOOK_CLOSELY_EVERY === 0
    if (!closely && glance !== undefined && glance === before) return undefined

    const newsNames = (await namesIn(join(dir, 'news'))).filter((name) => name.endsWith('.md'))
    const seen = differences(await statAll(dir, [...dataNames, ...newsNames.map((name) => `news/${name}`)]))
    const { gone, changed } = first ? seen : await settled(seen)
    if (!first && gone.length === 0 && changed.size === 0) return undefined

    const readable = [...changed].filter(([, { isFile }]) => isFile)
    const bytes = readable.reduce((sum, [, { size }]) => sum + (size > LARGEST_DATA ? 0 : size), 0)
    const names = readable.map(([name]) => name)
    const read = await reader.read(names, bytes)
    for (const name of gone) forget(name)
    for (const [name, found] of changed) {
      marks.set(name, found.mark)
      take(name, read.get(name) ?? refused(name, 1, 'readable', 'It must be a regular file'))
    }
    first = false
    return content()
  }

  const content = (): Content => {
    const news = uniqueNews([...good.values()].filter(isNews), owners)
    return {
      releases: (good.get('releases.yaml') ?? {}) as ReleasesFile,
      resources: (good.get('resources.yaml') ?? {}) as ResourcesFile,
      tiers: (good.get('tiers.yaml') ?? {}) as TiersFile,
      news: news.items,
      problems: [...[...problems.values()].flat(), ...news.problems],
    }
  }
  return { look, close: reader.close }
}

const isNews = (value: FileValue): value is NewsItem => 'html' in value

/** Of two files with one id, the one that had it before keeps it; `owners` remembers who that was. */
function uniqueNews(all: NewsItem[], owners: Map<string, string>) {
  const items = new Map<string, NewsItem>()
  const problems: Problem[] = []
  const byName = all.sort((a, b) => (a.file < b.file ? -1 : 1))
  for (const item of byName) {
    const rival = items.get(item.id)
    if (!rival || owners.get(item.id) === item.file) items.set(item.id, item)
    if (!rival) continue
    const message = `${rival.file} and ${item.file} have the same id "${item.id}"; one of them needs another`
    problems.push({ file: item.file, line: 1, rule: 'id-once', message })
  }
  owners.clear()
  for (const { id, file } of items.values()) owners.set(id, file)
  return { items: [...items.values()], problems }
}
