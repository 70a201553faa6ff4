import { open } from 'node:fs/promises'
import { ApiError } from '../../errors/index.ts'
import type { Fetched, Fetcher, FetcherOptions } from '../../platform/net/index.ts'
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
    throw new UpdateRefused('unreachable', whyUnreachable(error))
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

/** The fetcher speaks of images to people who filter them; an operator is told in other words. */
function whyUnreachable(error: unknown): string {
  if (!(error instanceof ApiError)) return `the source cannot be reached: ${(error as Error).message}`
  const { sourceStatus, max } = error.details
  switch (error.code) {
    case 'IMAGE_TOO_LARGE':
      return `the list is larger than ${max} bytes`
    case 'IMAGE_TIMEOUT':
      return `the source took longer than ${max} ms`
    case 'IMAGE_ADDRESS_FORBIDDEN':
      return 'the source, or where it redirects to, is not on the public internet'
    case 'IMAGE_URL_INVALID':
      return 'the source is no http or https URL without credentials'
    default:
      if (typeof sourceStatus === 'number' && sourceStatus >= 300)
        return `the source answered with status ${sourceStatus}`
      return 'the source cannot be reached, or broke off its answer'
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
