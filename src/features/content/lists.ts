import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import Type from 'typebox'
import { ROOT } from '../../config/root.ts'
import { type FileReading, type FileState, type LastGoodFolder, WatchedFiles } from '../../platform/files/index.ts'
import type { Problem } from '../../platform/logging/index.ts'
import { describePattern, type ParseResult } from '../../platform/yaml/index.ts'
import { parseUtf8, parseYaml } from './content-file.ts'
import { invalidKindName, isKindName, type ListCategory, listCategories, splitName } from './kinds.ts'
import { type Random, randomBelow, shuffleIndexes } from './random.ts'
import type { Collection, PickOptions, TextItem } from './types.ts'

/** The content that is shipped with the service. */
export const starterDir = join(ROOT, 'content')

const MAX_LIST_BYTES = 16 * 2 ** 20
const TOO_LARGE = `A list may have at most ${MAX_LIST_BYTES / 2 ** 20} MiB.`
const MAX_TEXT_LENGTH = 2000

/** The items of a text or video list, in the order of the file. */
export function createList(items: readonly TextItem[]): Collection<TextItem> {
  function* shuffle({ avoid }: PickOptions, random: Random): Generator<TextItem, void> {
    for (const index of shuffleIndexes(items.length, random)) {
      const item = items[index]!
      if (!avoid?.has(idOf(item))) yield item
    }
  }
  return {
    count: items.length,
    types: new Map(),
    pick(options, random) {
      if (options.avoid) return shuffle(options, random).next().value ?? undefined
      return items.length === 0 ? undefined : items[randomBelow(items.length, random)]
    },
    items: shuffle,
    available: () => ({ types: [], tags: [], orientations: [] }),
  }
}

/** The id of a video on YouTube, or the first 12 hex digits of the SHA-256 of a text. */
export const idOf = ({ text, video }: TextItem) => video?.id ?? hash('sha256', text).slice(0, 12)

/** One text per line. `#` starts a comment, `\#` a text that starts with #. Blank lines are ignored. */
export function parseTextList(file: string, bytes: Buffer): ParseResult<TextItem[]> {
  const text = parseUtf8(file, bytes)
  if (text.value === undefined) return { problems: text.problems }
  const problems: Problem[] = []
  const lineOf = new Map<string, number>()
  let isUsable = true
  for (const [index, raw] of text.value.split('\n').entries()) {
    const trimmed = raw.trim()
    if (trimmed === '' || trimmed.startsWith('#')) continue
    const line = index + 1
    const item = trimmed.startsWith('\\#') ? trimmed.slice(1) : trimmed
    const first = lineOf.get(item)
    if (/[\u0000-\u001f\u007f]/.test(item)) {
      isUsable = false
      problems.push({ file, line, rule: 'control-character', message: 'A text must not contain control characters.' })
    } else if (/^(<{7}|>{7}) /.test(item)) {
      isUsable = false
      problems.push({ file, line, rule: 'conflict', message: 'Git marks a conflict here. Resolve it.' })
    } else if (item.length > MAX_TEXT_LENGTH) {
      isUsable = false
      problems.push({ file, line, rule: 'length', message: `A text may have at most ${MAX_TEXT_LENGTH} characters.` })
    } else if (first !== undefined) {
      problems.push({ file, line, rule: 'duplicate', message: `Line ${first} has the same text.` })
    } else lineOf.set(item, line)
  }
  if (lineOf.size === 0) {
    isUsable = false
    problems.push({ file, rule: 'empty', message: 'The list has no text. Write one text per line.' })
  }
  const kind = kindOf(file)
  return isUsable ? { value: [...lineOf.keys()].map((text) => ({ kind, text })), problems } : { problems }
}

const VIDEO_ID = describePattern(
  '^[A-Za-z0-9_-]{11}$',
  'must be the part of the URL after watch?v=: 11 letters, digits, - and _',
)

export const Videos = Type.Array(
  Type.Object(
    {
      id: Type.String({ pattern: VIDEO_ID, description: 'The part of the URL after `watch?v=`.' }),
      title: Type.String({ minLength: 1, maxLength: 200, description: 'Title of the video.' }),
    },
    { additionalProperties: false },
  ),
  { minItems: 1 },
)

/** A YAML list of objects with `id` (the part after `watch?v=`) and `title`. */
export function parseVideoList(file: string, bytes: Buffer): ParseResult<TextItem[]> {
  const { value, problems } = parseYaml(file, bytes, Videos)
  if (!value) return { problems }
  const videos = new Map(value.toReversed().map((video) => [video.id, video]))
  const duplicates = value.filter((video) => videos.get(video.id) !== video)
  const items = value.filter((video) => videos.get(video.id) === video)
  const kind = kindOf(file)
  return {
    value: items.map((video) => ({ kind, text: `https://www.youtube.com/watch?v=${video.id}`, video })),
    problems: duplicates.map(({ id }) => ({
      file,
      rule: 'duplicate',
      message: `The video ${id} is in the list more than once.`,
    })),
  }
}

const textFormat = { extension: '.txt', parse: parseTextList }
const formats = {
  string: textFormat,
  kaomoji: textFormat,
  'yt-video': { extension: '.yaml', parse: parseVideoList },
} as const satisfies Record<ListCategory, unknown>

interface ListOptions {
  /** Called after each change. Without it, changes are not followed. */
  readonly onChange?: () => void
  readonly lastGoodFolder?: LastGoodFolder | undefined
}

/** Reads all lists: one folder per category, one file per kind. */
export async function openLists(contentDir: string, { onChange, lastGoodFolder }: ListOptions = {}) {
  let invalidNames: Problem[] = []
  let isOpen = false

  async function listFiles(): Promise<string[]> {
    const names: string[] = []
    const invalid: Problem[] = []
    for (const category of listCategories) {
      for (const name of await readdir(join(contentDir, category)).catch(() => [])) {
        if (name.startsWith('.') || !name.endsWith(formats[category].extension)) continue
        const file = `${category}/${name}`
        if (isKindName(kindOf(file))) names.push(file)
        else invalid.push(invalidKindName(file))
      }
    }
    invalidNames = invalid
    return names
  }

  const files = await WatchedFiles.open<Collection<TextItem>, Problem>({
    folder: contentDir,
    watch: onChange ? listCategories.map((category) => join(contentDir, category)) : [],
    list: listFiles,
    read: async (changed, { pathOf }) => {
      const read = async ([file, state]: [string, FileState]) =>
        [file, await readListFile(file, pathOf(file), state)] as const
      return new Map(await Promise.all([...changed].map(read)))
    },
    countEntries: ({ count }) => count,
    lastGoodFolder,
    onChange: () => isOpen && onChange?.(),
  })
  isOpen = true
  return {
    listsByKind: (category: ListCategory) =>
      new Map(
        [...files.values].flatMap(([file, list]) => (categoryOf(file) === category ? [[kindOf(file), list]] : [])),
      ),
    problems: (): Problem[] => [...files.lastGood.problems, ...invalidNames, ...files.problems],
    entryCounts: () => files.lastGood.entryCounts,
    reload: () => files.reload(),
    close: () => files.close(),
  }
}

/** Relative to the content folder. */
export const listFileOf = (category: ListCategory, kind: string) => `${category}/${kind}${formats[category].extension}`

export const isListFile = (file: string) => (listCategories as readonly string[]).includes(dirname(file))

/** A problem of any kind is reported, also one that the service tolerates. */
export function parseListFile(file: string, bytes: Buffer): ParseResult<TextItem[]> {
  if (bytes.length > MAX_LIST_BYTES) return { problems: [{ file, rule: 'size', message: TOO_LARGE }] }
  return formats[categoryOf(file)].parse(file, bytes)
}

const categoryOf = (file: string) => dirname(file) as ListCategory
const kindOf = (file: string) => splitName(basename(file)).stem

async function readListFile(
  file: string,
  path: string,
  { isFile, error, size }: FileState,
): Promise<FileReading<Collection<TextItem>, Problem>> {
  const reject = (rule: string, message: string) => ({ problems: [{ file, rule, message }] })
  const rejectUnreadable = (code: string | undefined) => ({
    ...reject('readable', `The file cannot be read (${code}).`),
    isTemporary: true,
  })
  if (error) return rejectUnreadable(error)
  if (!isFile) return reject('file', 'This is not a regular file.')
  if (size > MAX_LIST_BYTES) return reject('size', TOO_LARGE)
  try {
    const { value, problems } = formats[categoryOf(file)].parse(file, await readFile(path))
    return { value: value && createList(value), problems }
  } catch (error) {
    return rejectUnreadable((error as NodeJS.ErrnoException).code)
  }
}
