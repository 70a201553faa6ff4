import { stat } from 'node:fs/promises'
import { writeAtomically } from '../../platform/files/index.ts'
import type { Log } from '../../platform/logging/index.ts'
import { fetchList, isUrl, type ListFetcher, type NewList, type Remembered, readListFile } from './fetch-list.ts'
import { readOrigin, writeOrigin } from './origin.ts'
import type { ReadList } from './read-list.ts'
import { readList } from './reader.ts'
import { UpdateRefused } from './refused.ts'

export interface UpdateOptions {
  /** The list to replace; `fetchedListFile` says where it is. */
  readonly target: string
  /** The list in force while `target` is not there; a new list is held against it then. */
  readonly fallback?: string | undefined
  /** An http(s) URL, or a file. */
  readonly source: string
  /** Made with `listFetcherOptions(source)`; only URLs need one. */
  readonly fetcher?: ListFetcher | undefined
  /** Takes a list that has no entries, or less than half of those before. */
  readonly force?: boolean | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: UpdateProgress) => void) | undefined
  readonly log: Log
}

export type UpdateProgress =
  | { readonly stage: 'fetching' }
  | { readonly stage: 'checking'; readonly bytes: number }
  | { readonly stage: 'writing'; readonly entries: number }

export interface Updated {
  /** False where the source still has the list that is there. */
  readonly changed: boolean
  readonly entries: number
  /** Lines that name no host. */
  readonly ignored: number
  readonly sha256: string
  readonly size: number
}

/** Puts the list of the source in the place of `target`, or throws `UpdateRefused` and changes nothing. */
export async function updateBlocklist(options: UpdateOptions): Promise<Updated> {
  const { target, fallback, log, onProgress, signal = new AbortController().signal } = options
  onProgress?.({ stage: 'fetching' })
  const old = await readOld(target, signal)
  const { bytes, remember } = await obtain(options, old, signal)
  const inForce = old ?? (fallback === undefined ? undefined : await readOld(fallback, signal))
  const list = bytes && (await check(bytes, inForce, options, signal))
  if (old && (!list || list.sha256 === old.sha256)) return keepOld(target, old, remember)
  if (!list) throw new UpdateRefused('unreachable', 'the source says that nothing changed, but there is no list')

  onProgress?.({ stage: 'writing', entries: list.entries })
  signal.throwIfAborted()
  // First what is known of it: a list without that is only asked for anew, but never is another's origin believed.
  await writeOrigin(target, originOf(list, remember))
  await writeAtomically(target, bytes)
  const { entries, ignored, sha256, size } = list
  log.info({ entries, ignored, sha256, source: remember.source }, 'the blocking list was updated')
  return { changed: true, entries, ignored, sha256, size }
}

/** A list that cannot be read any more holds up no update. */
async function readOld(target: string, signal: AbortSignal): Promise<ReadList | undefined> {
  if (!(await stat(target).catch(() => undefined))?.isFile()) return undefined
  const outcome = await readList(target, signal)
  return 'list' in outcome ? outcome.list : undefined
}

async function obtain(options: UpdateOptions, old: ReadList | undefined, signal: AbortSignal): Promise<NewList> {
  const { source, target, fetcher } = options
  if (!isUrl(source)) return readListFile(source)
  if (!fetcher) throw new TypeError('a URL needs a fetcher')
  return fetchList(source, await readOrigin(target, old?.sha256), fetcher, signal)
}

async function check(
  bytes: Uint8Array,
  inForce: ReadList | undefined,
  { force, onProgress }: UpdateOptions,
  signal: AbortSignal,
): Promise<ReadList> {
  onProgress?.({ stage: 'checking', bytes: bytes.length })
  const outcome = await readList(bytes, signal)
  if (!('list' in outcome)) {
    throw new UpdateRefused('unreadable', `the new list cannot be read: ${'refused' in outcome ? outcome.refused : ''}`)
  }
  const { entries } = outcome.list
  if (force) return outcome.list
  if (entries === 0) throw new UpdateRefused('empty', 'the new list has no entries')
  if (inForce && entries * 2 < inForce.entries) {
    const had = `${entries} ${entries === 1 ? 'entry' : 'entries'}`
    throw new UpdateRefused('shrank', `the new list has ${had}, less than half of the ${inForce.entries} before`)
  }
  return outcome.list
}

async function keepOld(target: string, old: ReadList, remember: Remembered): Promise<Updated> {
  await writeOrigin(target, originOf(old, remember))
  const { entries, ignored, sha256, size } = old
  return { changed: false, entries, ignored, sha256, size }
}

const originOf = ({ sha256 }: ReadList, remember: Remembered) => ({ ...remember, sha256, checkedAt: Date.now() })
