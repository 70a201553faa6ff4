import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import Type from 'typebox'
import { NothingMatches } from '../../errors/index.ts'
import { type FileReading, type FileState, WatchedFiles } from '../../platform/files/index.ts'
import type { Problem } from '../../platform/logging/index.ts'
import type { ParseResult } from '../../platform/yaml/index.ts'
import { invalidKindName, isKindName, type ListCategory, type PictureType } from './kinds.ts'
import { parseUtf8, parseYaml } from './parse-file.ts'
import { chooseIndexes, type Random, randomBelow } from './random.ts'
import type { Collection, PickOptions, TextItem } from './types.ts'

const MAX_LIST_BYTES = 16 * 2 ** 20
const MAX_TEXT_LENGTH = 2000

/** The items of a text or video list, in the order of the file. */
export class List implements Collection<TextItem> {
  readonly types: ReadonlyMap<PictureType, number> = new Map()
  readonly #items: readonly TextItem[]

  constructor(items: readonly TextItem[]) {
    this.#items = items
  }

  get count() {
    return this.#items.length
  }

  pick(_options: PickOptions, random: Random): TextItem {
    return this.#items[randomBelow(this.#size(), random)]!
  }

  pickMany(count: number, _options: PickOptions, random: Random): TextItem[] {
    return chooseIndexes(count, this.#size(), random).map((index) => this.#items[index]!)
  }

  #size() {
    if (this.count === 0) throw new NothingMatches([])
    return this.count
  }
}

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
  return isUsable ? { value: [...lineOf.keys()].map((text) => ({ text })), problems } : { problems }
}

const Videos = Type.Array(
  Type.Object(
    { id: Type.String({ pattern: '^[A-Za-z0-9_-]{11}$' }), title: Type.String({ minLength: 1, maxLength: 200 }) },
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
  return {
    value: items.map((video) => ({ text: `https://www.youtube.com/watch?v=${video.id}`, video })),
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

/** The lists of one category, one file per kind. */
export class ListFolder {
  readonly category: ListCategory
  readonly #folder: string
  #files: WatchedFiles<List, Problem> | undefined
  #invalidNames: Problem[] = []

  private constructor(category: ListCategory, contentDir: string) {
    this.category = category
    this.#folder = join(contentDir, category)
  }

  /** Reads the lists, and follows their changes if there is a listener. */
  static async open(category: ListCategory, contentDir: string, onChange?: (folder: ListFolder) => void) {
    const folder = new ListFolder(category, contentDir)
    folder.#files = await WatchedFiles.open<List, Problem>({
      folder: folder.#folder,
      watch: onChange ? [folder.#folder] : [],
      list: () => folder.#listFiles(),
      read: async (files) => {
        const read = async ([name, state]: [string, FileState]) => [name, await folder.#readFile(name, state)] as const
        return new Map(await Promise.all([...files].map(read)))
      },
      onChange: () => folder.#files && onChange?.(folder),
    })
    return folder
  }

  /** By kind. */
  get lists(): Map<string, List> {
    const { extension } = formats[this.category]
    return new Map([...(this.#files?.values ?? [])].map(([name, list]) => [name.slice(0, -extension.length), list]))
  }

  get problems(): Problem[] {
    return [...this.#invalidNames, ...(this.#files?.problems ?? [])]
  }

  async close(): Promise<void> {
    await this.#files?.close()
  }

  /** Undefined for a folder that is missing or empty: its disk may be unmounted, so the lists remain. */
  async #listFiles(): Promise<string[] | undefined> {
    const { extension } = formats[this.category]
    const all = await readdir(this.#folder).catch(() => [])
    const names = all.filter((name) => !name.startsWith('.') && name.endsWith(extension))
    if (names.length === 0) return undefined
    const isValid = (name: string) => isKindName(name.slice(0, -extension.length))
    this.#invalidNames = names
      .filter((name) => !isValid(name))
      .map((name) => invalidKindName(`${this.category}/${name}`))
    return names.filter(isValid)
  }

  async #readFile(name: string, { isFile, error, size }: FileState): Promise<FileReading<List, Problem>> {
    const file = `${this.category}/${name}`
    const reject = (rule: string, message: string) => ({ problems: [{ file, rule, message }] })
    const rejectUnreadable = (code: string | undefined) => ({
      ...reject('readable', `The file cannot be read (${code}).`),
      isTemporary: true,
    })
    if (error) return rejectUnreadable(error)
    if (!isFile) return reject('file', 'This is not a regular file.')
    if (size > MAX_LIST_BYTES) return reject('size', `A list may have at most ${MAX_LIST_BYTES / 2 ** 20} MiB.`)
    try {
      const { value, problems } = formats[this.category].parse(file, await readFile(join(this.#folder, name)))
      return { value: value && new List(value), problems }
    } catch (error) {
      return rejectUnreadable((error as NodeJS.ErrnoException).code)
    }
  }
}
