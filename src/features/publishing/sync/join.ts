// Brings this node and Redis to the same state.
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ContentPosition, InstallStep } from '../../../platform/store/index.ts'
import { parseEntry, versionOf } from '../history-entry.ts'
import { describeFull } from './commit.ts'
import {
  isSamePosition,
  listFiles,
  namePublicly,
  putFile,
  readKnownFile,
  type SyncContext,
  SyncProblem,
  withFolderLocks,
} from './folder.ts'
import { forEachFile, install } from './install.ts'

/** A node that is further behind compares all files instead. */
const MAX_CHANGES = 100
const FILES_PER_WRITE = 100
/** The history keeps this many, too. */
const MAX_ENTRIES = 1000

/** Redis is empty: this node begins a new lineage with the files in its folder. */
export async function seed(context: SyncContext): Promise<void> {
  const { contentDir, node, history, isShared, maxFileBytes, maxBytes, log } = context
  // Under the locks until it is published: a change in between would be missing.
  await withFolderLocks(context, async () => {
    if (node.position()) return
    const position = { lineage: randomUUID(), sequence: await history.lastId(), head: randomUUID() }
    let bytes = 0
    const found: string[] = []
    const tooLarge: { readonly file: string; readonly size: number }[] = []
    for (const { file, size } of isShared ? [] : listFiles(contentDir)) {
      if (size > maxFileBytes) {
        tooLarge.push({ file: namePublicly(file), size })
        continue
      }
      bytes += size
      found.push(file)
      if (bytes > maxBytes) throw new SyncProblem(describeFull(bytes, maxBytes))
    }
    node.clear()
    for (let start = 0; start < found.length; start += FILES_PER_WRITE) {
      const chunk = found.slice(start, start + FILES_PER_WRITE).map((file) => readKnownFile(contentDir, file))
      node.put((await Promise.all(chunk)).filter((known) => known !== undefined))
    }
    if (!(await refill(context, position))) return
    node.setPosition(position)
    for (const fields of tooLarge)
      log.warn(fields, 'this file is too large to be synchronised through Redis; copy it to the other nodes')
    log.info({ files: found.length, bytes }, 'the content of this node is now that of all nodes')
  })
}

/** Redis has lost its data, or has an older state: this node supplies its own. */
export async function refill(context: SyncContext, position: ContentPosition): Promise<boolean> {
  const { node, history, shared } = context
  await supplyFiles(context)
  const changes = new Map<number, string>()
  // Ids without gaps: the first id shows which entries Redis has.
  for (let id = position.sequence; changes.size < MAX_ENTRIES; id--) {
    const text = await history.readText(id)
    if (!text) break
    changes.set(id, text)
  }
  return shared.replace(position, [...node.files()], changes)
}

/** Renews the files in Redis, and sends those that it has lost. */
export async function supplyFiles(context: SyncContext): Promise<void> {
  const { contentDir, node, shared } = context
  const files = new Map([...node.files()].map(({ file, version }) => [version, file]))
  const supply = async (version: string) => {
    const bytes = await readFile(join(contentDir, files.get(version)!)).catch(() => null)
    if (bytes && versionOf(bytes) === version) await putFile(context, version, bytes)
  }
  await forEachFile(await shared.renew([...files.keys()]), supply)
}

/** Takes the state in Redis. `local`: the state of this node. */
export async function catchUp(context: SyncContext, local: ContentPosition | undefined, target: ContentPosition) {
  const { node, history, isShared, shared, log } = context
  const isSameLineage = local?.lineage === target.lineage
  if (!isSameLineage || target.sequence === local.sequence || (await isLost(context, local.sequence))) {
    // This node has content of another lineage, or changes that Redis lost. It keeps copies of files that differ.
    if (isSameLineage) node.recordIncident('changesLost')
    node.clear()
  }
  const first = node.position()?.sequence ?? Math.max(0, target.sequence - MAX_ENTRIES)
  const entries = await readEntries(context, first + 1, target.sequence)
  const isComplete = node.position() !== undefined && target.sequence - first <= MAX_CHANGES
  const steps = isShared
    ? []
    : ((isComplete ? listSteps(entries, target.sequence - first) : undefined) ?? (await compareFiles(context)))
  // The next call installs changes that were published meanwhile.
  if (!isSamePosition((await shared.position()).position, target)) return
  // Only if all files are there: it is tried again until then, and each time would leave a copy of the history.
  const keepHistory = async () => {
    if (!isSameLineage) await history.setAside()
    await history.put(entries)
    return steps
  }
  if (await install(context, target, steps, keepHistory))
    log.info({ sequence: target.sequence, files: steps.length }, 'installed the content that another node published')
}

/** Redis lost the last change of this node, and another change has its number now. */
async function isLost({ shared, history }: SyncContext, sequence: number): Promise<boolean> {
  const [[theirs], own] = await Promise.all([shared.changes([sequence]), history.readText(sequence)])
  return Boolean(theirs) && own !== undefined && theirs !== own
}

/** The entries that Redis still has. */
async function readEntries({ shared }: SyncContext, first: number, last: number): Promise<Map<number, string>> {
  const entries = new Map<number, string>()
  for (let id = last; id >= first; id -= MAX_CHANGES) {
    const ids = Array.from({ length: Math.min(MAX_CHANGES, id - first + 1) }, (_, index) => id - index)
    const texts = await shared.changes(ids)
    for (const [index, text] of texts.entries()) if (text !== null) entries.set(ids[index]!, text)
    if (texts.includes(null)) break
  }
  return entries
}

/** The files that these changes changed. Undefined: changes are missing. */
function listSteps(entries: ReadonlyMap<number, string>, count: number): InstallStep[] | undefined {
  if (entries.size < count) return undefined
  const versions = new Map<string, string | null>()
  for (const id of [...entries.keys()].sort((a, b) => a - b)) {
    const { files, attached } = parseEntry(entries.get(id)!) ?? {}
    if (!files || !attached) return undefined
    for (const { file, version } of attached) versions.set(file, version)
    for (const { file, after } of files) versions.set(file, after)
  }
  return [...versions].map(([file, version]) => ({ file, version }))
}

async function compareFiles({ node, shared }: SyncContext): Promise<InstallStep[]> {
  const steps: InstallStep[] = []
  const published = new Set<string>()
  for (const { file, version } of await shared.files()) {
    published.add(file)
    if (node.file(file)?.version !== version) steps.push({ file, version })
  }
  for (const { file } of node.files()) if (!published.has(file)) steps.push({ file, version: null })
  return steps
}
