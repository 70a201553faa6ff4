import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { entriesOf } from './folder-files.ts'
import { isKindName, type ListCategory, misnamed } from './kinds.ts'
import { List } from './list.ts'
import type { Parsed } from './parsed.ts'
import { isSameStamp, isSettled, SETTLED_MS, type Stamp, stampOf } from './stamp.ts'
import { readTextList } from './text-list.ts'
import type { Item, Problem } from './types.ts'
import { readVideoList } from './video-list.ts'

const MAX_LIST_BYTES = 16 * 2 ** 20

interface Format {
  extension: string
  read(file: string, bytes: Buffer): Parsed<Item[]>
}

const text: Format = { extension: '.txt', read: readTextList }
const formats: Record<ListCategory, Format> = {
  string: text,
  kaomoji: text,
  'yt-video': { extension: '.yaml', read: readVideoList },
}

interface Known {
  stamp: Stamp
  list?: List
  problems: Problem[]
}

/** The lists of one category, a file a kind. What a file said when it was last right is served until it is right again. */
export class ListFolder {
  readonly category: ListCategory
  readonly #path: string
  readonly #format: Format
  #known = new Map<string, Known>()
  #misnamed: Problem[] = []

  constructor(category: ListCategory, contentDir: string) {
    this.category = category
    this.#path = join(contentDir, category)
    this.#format = formats[category]
  }

  get lists(): Map<string, List> {
    return new Map([...this.#known].flatMap(([kind, { list }]) => (list ? [[kind, list]] : [])))
  }

  get problems(): Problem[] {
    return [...this.#misnamed, ...[...this.#known.values()].flatMap(({ problems }) => problems)]
  }

  /** Reads the files that changed; tells whether any did. */
  async look(): Promise<boolean> {
    const { extension } = this.#format
    let names = await this.#names()
    if (![...this.#known.keys()].every((kind) => names.includes(kind + extension))) {
      // Some editors put a file away before they write it anew.
      await setTimeout(SETTLED_MS)
      names = await this.#names()
    }
    // A folder that is gone or empty was hardly meant to be: a disk that is away looks like that.
    if (names.length === 0) return false
    const kinds = names.map((name) => name.slice(0, -extension.length))
    const misnamedKinds = kinds.filter((kind) => !isKindName(kind))
    this.#misnamed = misnamedKinds.map((kind) => misnamed(`${this.category}/${kind}${extension}`))
    const known = new Map<string, Known>()
    const read = async (kind: string) => [kind, await this.#read(kind, this.#known.get(kind))] as const
    for (const [kind, entry] of await Promise.all(kinds.filter(isKindName).map(read))) {
      if (entry) known.set(kind, entry)
    }
    const before = this.#known
    this.#known = known
    return before.size !== known.size || [...known].some(([kind, entry]) => before.get(kind) !== entry)
  }

  async #names(): Promise<string[]> {
    const names = (await entriesOf(this.#path)).map(({ name }) => name)
    return names.filter((name) => name.endsWith(this.#format.extension))
  }

  async #read(kind: string, before: Known | undefined): Promise<Known | undefined> {
    const name = kind + this.#format.extension
    const path = join(this.#path, name)
    const stamp = await stampOf(path)
    if (!stamp) return undefined
    const isUnread = before?.problems[0]?.rule === 'readable'
    if (before && isSameStamp(before.stamp, stamp) && !isUnread) return before
    // Truncated a moment ago, a file can still have the time of what it held before.
    if (before || !isSettled(stamp)) await setTimeout(SETTLED_MS)
    const file = `${this.category}/${name}`
    const { value, problems } = await this.#parse(path, file, stamp)
    // Written to while it was read: the next look has the whole of it.
    const after = await stampOf(path)
    if (!after || !isSameStamp(stamp, after)) return before
    const list = value ? new List(value) : before?.list
    return { stamp, problems, ...(list && { list }) }
  }

  async #parse(path: string, file: string, stamp: Stamp): Promise<Parsed<Item[]>> {
    if (stamp.size < 0) return { problems: [{ file, rule: 'file', message: 'This is not a regular file.' }] }
    if (stamp.size > MAX_LIST_BYTES) {
      return { problems: [{ file, rule: 'size', message: `A list has at most ${MAX_LIST_BYTES / 2 ** 20} MiB.` }] }
    }
    try {
      return this.#format.read(file, await readFile(path))
    } catch (error) {
      const message = `The file cannot be read (${(error as NodeJS.ErrnoException).code}).`
      return { problems: [{ file, rule: 'readable', message }] }
    }
  }
}
