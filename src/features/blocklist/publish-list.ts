import { PublishError } from '../../errors/index.ts'
import { acceptEntries, type EditOptions, editFolder, type FileEdit } from '../../platform/files/index.ts'
import { CONTENT_LIST } from './list-files.ts'
import { readListSync } from './read-list.ts'

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

/** Edits the own list of the operator. A list that the service would refuse is never written. */
export const editBlocklist = <T extends object>(
  dir: string,
  options: EditOptions,
  work: Parameters<typeof editFolder<T>>[3],
) =>
  editFolder(
    dir,
    options,
    {
      isText: () => true,
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
