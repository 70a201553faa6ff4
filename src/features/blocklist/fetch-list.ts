import { open } from 'node:fs/promises'
import { FetchError, type Fetched, type Fetcher, type FetcherOptions } from '../../platform/net/index.ts'
import type { Origin } from './origin.ts'
import { LARGEST_LIST } from './read-list.ts'
import { UpdateRefused } from './refused.ts'

export type ListFetcher = Pick<Fetcher, 'get'>

/** What is remembered of a fetched list, besides the list. */
export type Remembered = Pick<Origin, 'source' | 'asked' | 'finalUrl' | 'etag' | 'lastModified'>

export interface NewList {
  /** Undefined where the source says that it is the one we have. */
  readonly bytes: Uint8Array | undefined
  readonly remember: Remembered
}

export const isUrl = (source: string) => /^https?:\/\//i.test(source)

/**
 * For a fetcher of lists. The operator named the source, so it may be a private one; where it redirects to is judged
 * like any stranger's address.
 */
export function listFetcherOptions(source: string): Partial<FetcherOptions> {
  const url = isUrl(source) ? URL.parse(source) : null
  const port = url?.port || (url?.protocol === 'https:' ? 443 : 80)
  return {
    allowHosts: url ? [`${url.hostname}:${port}`] : [],
    maxBytes: LARGEST_LIST,
    totalTimeoutMs: 300_000,
    firstByteTimeoutMs: 30_000,
    connectTimeoutMs: 10_000,
  }
}

export async function fetchList(
  url: string,
  known: Origin | undefined,
  fetcher: ListFetcher,
  signal: AbortSignal,
): Promise<NewList> {
  const reply = await fetcher.get(url, { signal, revalidate: conditionsOf(url, known) }).catch((error: unknown) => {
    signal.throwIfAborted()
    throw new UpdateRefused('unreachable', describeFailure(error))
  })
  const source = new URL(url).hostname
  if (reply.status === 304 && known) return { bytes: undefined, remember: { ...known, source } }
  return { bytes: reply.body, remember: { source, asked: url, finalUrl: reply.url, ...validatorsOf(reply) } }
}

function conditionsOf(url: string, known: Origin | undefined) {
  if (known?.asked !== url || known.finalUrl === undefined) return undefined
  const { finalUrl, etag, lastModified } = known
  if (etag === undefined && lastModified === undefined) return undefined
  const headers = {
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
  }
  return { url: finalUrl, headers }
}

function validatorsOf({ headers }: Fetched): Pick<Origin, 'etag' | 'lastModified'> {
  const { etag, 'last-modified': lastModified } = headers
  return { ...(etag !== undefined && { etag }), ...(lastModified !== undefined && { lastModified }) }
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
      return `the source answered with status ${sourceStatus}`
    default:
      return `the source ${problem}`
  }
}

export async function readListFile(file: string): Promise<NewList> {
  try {
    await using handle = await open(file)
    const { size } = await handle.stat()
    if (size > LARGEST_LIST) throw new Error(`it is larger than ${LARGEST_LIST} bytes`)
    return { bytes: await handle.readFile(), remember: { source: 'file', asked: file } }
  } catch (error) {
    throw new UpdateRefused('unreachable', `the file cannot be read: ${(error as Error).message}`)
  }
}
