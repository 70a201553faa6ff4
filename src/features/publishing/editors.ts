import { dirname, join } from 'node:path'
import { UsageError } from '../../errors/index.ts'
import { acceptEntries, type EntryCounts, isFolder } from '../../platform/files/index.ts'
import { acceptList, CONTENT_LIST, downloadedListFile, editBlocklist } from '../blocklist/index.ts'
import * as content from '../content/index.ts'
import * as releases from '../releases/index.ts'
import { APP_PREFIX } from './history.ts'

/** By prefix of file names: how these files are edited and validated, and how a removal of entries is confirmed. */
const editors = [
  { prefix: APP_PREFIX, folder: APP_PREFIX, edit: releases.editFiles, accept: releases.acceptShrinking },
  { prefix: CONTENT_LIST, folder: '', edit: editBlocklist, accept: acceptList },
  { prefix: '', folder: '', edit: content.editContent, accept: content.acceptShrinking },
]

/** Files of releases. They are written before the entry that names them, and never changed. */
export const ATTACHED_PREFIX = `${APP_PREFIX}files/`

/** Other files in CONTENT_DIR, such as notes of the operator, belong to this node. */
export const isPublishedFile = (file: string) =>
  file === CONTENT_LIST ||
  file.startsWith(ATTACHED_PREFIX) ||
  content.isContentFile(file) ||
  (file.startsWith(APP_PREFIX) && releases.isReleaseFile(file.slice(APP_PREFIX.length)))

/** `dir`: the folder that the names of the editor are relative to. */
export function findEditor(contentDir: string, file: string) {
  const { folder, ...editor } = editors.find(({ prefix }) => file.startsWith(prefix))!
  return {
    ...editor,
    dir: join(contentDir, folder),
    isApp: folder === APP_PREFIX,
    nameOf: (name: string) => name.slice(folder.length),
  }
}

// Confirms that all or most entries of lists, releases, news, pictures or blocklists were removed on purpose.

/** Groups whose confirmation is written to the same folder. */
interface GroupFolder {
  readonly folder: string
  /** Precedes its names in /readyz. */
  readonly prefix: string
  readonly entryCounts: readonly EntryCounts[]
}

const DOWNLOADED = 'cache/'

interface Parts {
  readonly content: readonly EntryCounts[]
  readonly releases: readonly EntryCounts[]
  /** First those of the downloaded list, then those of the list in CONTENT_DIR. */
  readonly blocklists: readonly (readonly EntryCounts[])[]
}

export const listGroups = (
  { contentDir, dataDir }: { readonly contentDir: string; readonly dataDir: string },
  { content, releases, blocklists: [downloaded = [], own = []] }: Parts,
): GroupFolder[] => [
  { folder: contentDir, prefix: '', entryCounts: [...content, ...own] },
  { folder: join(contentDir, APP_PREFIX), prefix: APP_PREFIX, entryCounts: releases },
  { folder: dirname(downloadedListFile(dataDir)), prefix: DOWNLOADED, entryCounts: downloaded },
]

/** Without names, everything is confirmed. Returns the groups that had shrunk. */
export async function acceptGroups(folders: readonly GroupFolder[], names: readonly string[]) {
  const known = folders.flatMap(({ prefix, entryCounts }) => entryCounts.map(({ name }) => prefix + name))
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new UsageError(`There is no "${unknown}". Known names: ${known.sort().join(', ')}.`)
  const accepted: { name: string; before: number; now: number }[] = []
  const isComplete = names.length === 0
  for (const { folder, prefix, entryCounts } of folders) {
    const chosen = entryCounts.filter(({ name }) => isComplete || names.includes(prefix + name))
    const shrunk = chosen.filter(({ verdict }) => verdict === 'shrunk')
    // Another user may own the data folder, and a folder that never existed needs no confirmation.
    const isWritten = isComplete ? prefix !== DOWNLOADED && (await isFolder(folder)) : chosen.length > 0
    if (shrunk.length === 0 && !isWritten) continue
    await acceptEntries(folder, Object.fromEntries(chosen.map(({ name, now }) => [name, now])), { isComplete })
    accepted.push(...shrunk.map(({ name, before, now }) => ({ name: prefix + name, before, now })))
  }
  return accepted
}
