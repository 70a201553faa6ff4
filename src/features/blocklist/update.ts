import { stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { acceptEntries, describeWithoutPath, readUpTo, writeAtomically } from '../../platform/files/index.ts'
import type { Log } from '../../platform/logging/index.ts'
import { createFetcher, FetchError, type FetcherOptions, type FetchFailure } from '../../platform/net/index.ts'
import { type Origin, readLastCheck, readOrigin, writeOrigin } from './list-files.ts'
import { MAX_LIST_BYTES, type ReadList, readList } from './read-list.ts'

/** Fraction of the interval: nodes that start together do not send their requests together. */
const JITTER = 0.1
/** The first retry after a failure waits this fraction of the interval; each further one twice as long. */
const FIRST_RETRY_FRACTION = 1 / 16
/** The longest that a timer of Node can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1

export interface UpdateOptions {
  /** The list to replace, usually `downloadedListFile(…)`. */
  readonly target: string
  /** An http(s) URL or a file. */
  readonly source: string
  /** The original name of the file. Default: its path. */
  readonly name?: string | undefined
  /** For URLs, in addition to the options of all lists. */
  readonly fetching?: Partial<FetcherOptions>
  /** Accepts a list without entries, or with less than half of the previous entries. */
  readonly force?: boolean | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: (stage: 'fetching' | 'checking' | 'writing') => void
  readonly log: Log
}

/** Replaces `target` with the list of the source, or throws `UpdateError` and changes nothing. */
export async function updateBlocklist(options: UpdateOptions) {
  const { source, target, fetching = {}, log, onProgress, signal = new AbortController().signal } = options
  onProgress?.('fetching')
  const previous = await readExisting(target, signal)
  const { bytes, origin } = isUrl(source)
    ? await fetchList(source, await readOrigin(target, previous?.sha256), fetching, signal)
    : await readListFile(source, options.name)
  const list = bytes && (await validate(bytes, previous, options, signal))
  if (list && options.force) await acceptEntries(dirname(target), { [basename(target)]: list.entries })
  if (previous && (!list || list.sha256 === previous.sha256)) {
    await writeOrigin(target, { ...origin, sha256: previous.sha256, checkedAt: Date.now() })
    return toResult(previous, false)
  }
  if (!list) throw new UpdateError('the source says that nothing changed, but there is no list')

  onProgress?.('writing')
  signal.throwIfAborted()
  // The origin first: if the list is not written, the digest does not match and the origin is ignored.
  await writeOrigin(target, { ...origin, sha256: list.sha256, checkedAt: Date.now() })
  await writeAtomically(target, bytes)
  const { entries, ignored, sha256 } = list
  log.info({ entries, ignored, sha256, source: origin.source }, 'the blocklist was updated')
  return toResult(list, true)
}

/** `changed` is false if the source still has the same list. */
const toResult = ({ index, invalidLine, ...summary }: ReadList, changed: boolean) => ({ changed, ...summary })

/** Undefined if there is none, or if it cannot be read: it must not prevent the update. */
async function readExisting(file: string, signal: AbortSignal): Promise<ReadList | undefined> {
  if (!(await stat(file).catch(() => undefined))?.isFile()) return undefined
  const result = await readList(file, signal)
  return 'list' in result ? result.list : undefined
}

async function validate(
  bytes: Uint8Array,
  previous: ReadList | undefined,
  { force, onProgress }: UpdateOptions,
  signal: AbortSignal,
): Promise<ReadList> {
  onProgress?.('checking')
  const result = await readList(bytes, signal)
  if ('rejected' in result) throw new UpdateError(`the new list cannot be read: ${result.rejected}`)
  const { entries } = result.list
  if (force) return result.list
  if (entries === 0) throw new UpdateError('the new list has no entries', true)
  if (previous && entries * 2 < previous.entries) {
    const count = `${entries} ${entries === 1 ? 'entry' : 'entries'}`
    throw new UpdateError(`the new list has ${count}, less than half of the previous ${previous.entries}`, true)
  }
  return result.list
}

interface ScheduleOptions extends Omit<UpdateOptions, 'force' | 'signal' | 'onProgress'> {
  readonly intervalMs: number
}

/** Updates the list periodically, first when the last check is `intervalMs` ago. A failure keeps the old list. */
export function scheduleUpdates({ intervalMs, ...options }: ScheduleOptions) {
  const stopped = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let failures = 0
  let problem: string | undefined

  const updateAfter = (ms: number) => {
    if (stopped.signal.aborted) return
    const jittered = ms * (1 - JITTER + 2 * JITTER * Math.random())
    timer = setTimeout(update, Math.min(jittered, MAX_TIMER_MS)).unref()
  }

  const update = async () => {
    try {
      await updateBlocklist({ ...options, signal: stopped.signal })
      failures = 0
      problem = undefined
    } catch (error) {
      if (stopped.signal.aborted) return
      failures += 1
      problem = `the blocklist was not updated: ${describeWithoutPath(error as Error)}`
      options.log.warn({ failures }, problem)
    }
    updateAfter(failures === 0 ? intervalMs : intervalMs * Math.min(1, FIRST_RETRY_FRACTION * 2 ** (failures - 1)))
  }

  const start = async () => {
    const last = await readLastCheck(options.target, options.source)
    updateAfter(Math.min(intervalMs, Math.max(0, (last ?? 0) + intervalMs - Date.now())))
  }
  void start()

  return {
    problem: () => problem,
    close() {
      stopped.abort()
      clearTimeout(timer)
    },
  }
}

/** Why a new list was not accepted; the old one stays as it was. The message is for the operator. */
export class UpdateError extends Error {
  /** The list may be right nevertheless: the operator decides. */
  readonly canBeForced: boolean

  constructor(message: string, canBeForced = false) {
    super(message)
    this.canBeForced = canBeForced
  }
}

interface FetchedList {
  /** Undefined if the source says that the list has not changed. */
  readonly bytes: Uint8Array | undefined
  readonly origin: Omit<Origin, 'sha256' | 'checkedAt'>
}

const isUrl = (source: string) => /^https?:\/\//i.test(source)

/** The operator chose the source, so it may be a private host; redirects are checked like addresses from clients. */
function createListFetcher(source: string, options: Partial<FetcherOptions>) {
  const { hostname, protocol, port } = new URL(source)
  return createFetcher({
    allowHosts: [`${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`],
    maxBytes: MAX_LIST_BYTES,
    totalTimeoutMs: 300_000,
    headersTimeoutMs: 30_000,
    connectTimeoutMs: 10_000,
    ...options,
  })
}

async function fetchList(
  url: string,
  previous: Origin | undefined,
  options: Partial<FetcherOptions>,
  signal: AbortSignal,
): Promise<FetchedList> {
  const fetcher = createListFetcher(url, options)
  const revalidate = readConditions(url, previous)
  const reply = await fetcher
    .get(url, { signal, revalidate })
    .catch((error: unknown) => {
      signal.throwIfAborted()
      throw new UpdateError(describeFailure(error))
    })
    .finally(() => fetcher.close())
  const source = new URL(url).hostname
  if (reply.status === 304 && previous) return { bytes: undefined, origin: { ...previous, source } }
  const { etag, 'last-modified': lastModified } = reply.headers
  return { bytes: reply.body, origin: { source, requested: url, finalUrl: reply.url, etag, lastModified } }
}

function readConditions(url: string, previous: Origin | undefined) {
  if (previous?.requested !== url || previous.finalUrl === undefined) return undefined
  const { finalUrl, etag, lastModified } = previous
  if (etag === undefined && lastModified === undefined) return undefined
  const headers = {
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
  }
  return { url: finalUrl, headers }
}

function describeFailure(error: unknown): string {
  if (!(error instanceof FetchError)) return `the source cannot be reached: ${(error as Error).message}`
  const { problem, max, sourceStatus } = error.details
  const descriptions: Partial<Record<FetchFailure, string>> = {
    'too-large': `the list is larger than ${max} bytes`,
    timeout: `the source took longer than ${max} ms`,
    'forbidden-address': 'the source, or a redirect from it, is not on the public internet',
    'invalid-url': `the URL ${problem}`,
    'bad-status': `the source replied with status ${sourceStatus}`,
  }
  return descriptions[error.reason] ?? `the source ${problem}`
}

async function readListFile(file: string, name = file): Promise<FetchedList> {
  try {
    const bytes = await readUpTo(file, MAX_LIST_BYTES)
    if (!bytes) throw new Error(`it is larger than ${MAX_LIST_BYTES} bytes`)
    return { bytes, origin: { source: 'file', requested: name } }
  } catch (error) {
    throw new UpdateError(`the file cannot be read: ${(error as Error).message}`)
  }
}
