import { join } from 'node:path'
import Type, { type Static } from 'typebox'
import Value from 'typebox/value'
import { PublishError } from '../../errors/index.ts'
import type { EditOptions, FileEdit, LastGoodFolder } from '../../platform/files/index.ts'
import { acceptEntries, editFolder, readJson, writeAtomically } from '../../platform/files/index.ts'
import { readListSync } from './read-list.ts'

const BLOCKLIST_FILE = 'blocklist.txt'
/** The operator's own list, in CONTENT_DIR. */
export const CONTENT_LIST = BLOCKLIST_FILE
/** The `source` of the operator's own list. */
export const OWN_LIST = 'content'

export interface ListSource {
  readonly file: string
  /** Shown as the source of the list if no origin file says more. */
  readonly source: string
  readonly lastGoodFolder?: LastGoodFolder | undefined
}

/** The file that `updateBlocklist` writes. */
export const downloadedListFile = (dataDir: string) => join(dataDir, 'cache', BLOCKLIST_FILE)

export const contentListFile = (contentDir: string) => join(contentDir, CONTENT_LIST)

/** A downloaded list, and the operator's own list, whose entries are added and whose exceptions apply to both. */
export const blocklistSources = (
  dataDir: string,
  contentDir: string,
  lastGoodFolder?: (part: string) => LastGoodFolder,
): ListSource[] => [
  { file: downloadedListFile(dataDir), source: 'update', lastGoodFolder: lastGoodFolder?.('fetched-blocklist') },
  { file: contentListFile(contentDir), source: OWN_LIST, lastGoodFolder: lastGoodFolder?.('blocklist') },
]

/** Where a downloaded list came from; stored in a file beside it. */
const Origin = Type.Object({
  /** SHA-256 of the list. If somebody replaces the list, this origin no longer applies. */
  sha256: Type.String(),
  /** Public, so it is only a host: paths and queries may contain secrets. */
  source: Type.String(),
  /** When the source was last requested, in milliseconds. */
  checkedAt: Type.Number(),
  /** The URL or file as the operator gave it. */
  requested: Type.String(),
  finalUrl: Type.Optional(Type.String()),
  etag: Type.Optional(Type.String()),
  lastModified: Type.Optional(Type.String()),
})
export type Origin = Static<typeof Origin>

const originFileOf = (list: string) => list.replace(/(?:\.txt)?$/, '.source.json')

/** Undefined if the origin of the list with this digest is unknown. */
export async function readOrigin(list: string, sha256: string | undefined): Promise<Origin | undefined> {
  const origin = await readOriginFile(list)
  return origin?.sha256 === sha256 ? origin : undefined
}

/** When the list was last requested from this source, in milliseconds. */
export async function readLastCheck(list: string, requested: string): Promise<number | undefined> {
  const origin = await readOriginFile(list)
  return origin?.requested === requested ? origin.checkedAt : undefined
}

async function readOriginFile(list: string): Promise<Origin | undefined> {
  const origin = await readJson(originFileOf(list))
  return Value.Check(Origin, origin) ? origin : undefined
}

export const writeOrigin = (list: string, origin: Origin) =>
  writeAtomically(originFileOf(list), `${JSON.stringify(origin, null, 2)}\n`)

interface PutOptions extends EditOptions {
  /** CONTENT_DIR. */
  readonly dir: string
  readonly text: string
  /** Allows a list with less than half of the previous entries. */
  readonly force?: boolean | undefined
}

function countEntries(text: FileEdit['after']): number {
  if (text === null) return 0
  const read = readListSync(Buffer.from(text))
  if ('rejected' in read) throw new PublishError(`The list was rejected: ${read.rejected}.`)
  return read.list.entries
}

/** Edits the operator's own list. A list that the service would refuse is never written. */
export const editBlocklist = <T extends object>(
  dir: string,
  options: EditOptions,
  work: Parameters<typeof editFolder<T>>[3],
) =>
  editFolder(
    dir,
    options,
    {
      check: (edits) => edits.forEach(({ after }) => void countEntries(after)),
      prepare: (edits) => acceptList(dir, edits),
    },
    work,
  )

/** The operator removes entries on purpose: the service must not take it for a fault. */
export async function acceptList(dir: string, edits: readonly FileEdit[]): Promise<void> {
  for (const { file, after } of edits) await acceptEntries(dir, { [file]: countEntries(after) })
}

export const putBlocklist = ({ dir, text, force = false, ...options }: PutOptions) =>
  editBlocklist(dir, options, async ({ read, write }) => {
    const before = await read(CONTENT_LIST)
    const [entries, previous] = [countEntries(text), before === null ? 0 : countEntries(before)]
    if (!force && (entries === 0 || entries * 2 < previous)) {
      const count = `${entries} ${entries === 1 ? 'entry' : 'entries'} instead of ${previous}`
      throw new PublishError(`The new list has ${count}; publish with force to allow it.`)
    }
    await write(CONTENT_LIST, text)
    return { entries }
  })
