import { readUpTo } from '../../platform/files/index.ts'
import { createFetcher, FetchError, type FetcherOptions } from '../../platform/net/index.ts'
import type { Origin } from './list-files.ts'
import { MAX_LIST_BYTES } from './read-list.ts'

/** Why a new list was not accepted; the old one stays as it was. The message is for the operator. */
export class UpdateError extends Error {
  /** The list may be right nevertheless: the operator decides. */
  readonly canBeForced: boolean

  constructor(message: string, canBeForced = false) {
    super(message)
    this.canBeForced = canBeForced
  }
}

export interface FetchedList {
  /** Undefined if the source says that the list has not changed. */
  readonly bytes: Uint8Array | undefined
  readonly origin: Omit<Origin, 'sha256' | 'checkedAt'>
}

export const isUrl = (source: string) => /^https?:\/\//i.test(source)

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

export async function fetchList(
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
  switch (error.reason) {
    case 'too-large':
      return `the list is larger than ${max} bytes`
    case 'timeout':
      return `the source took longer than ${max} ms`
    case 'forbidden-address':
      return 'the source, or a redirect from it, is not on the public internet'
    case 'invalid-url':
      return `the URL ${problem}`
    case 'bad-status':
      return `the source replied with status ${sourceStatus}`
    default:
      return `the source ${problem}`
  }
}

export async function readListFile(file: string, name = file): Promise<FetchedList> {
  try {
    const bytes = await readUpTo(file, MAX_LIST_BYTES)
    if (!bytes) throw new Error(`it is larger than ${MAX_LIST_BYTES} bytes`)
    return { bytes, origin: { source: 'file', requested: name } }
  } catch (error) {
    throw new UpdateError(`the file cannot be read: ${(error as Error).message}`)
  }
}
