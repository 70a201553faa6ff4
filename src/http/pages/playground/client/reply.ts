import { formatBytes } from '../../shared/client/bytes.ts'
import { base, element, one } from '../../shared/client/dom.ts'
import { type Failure, fetchOrExplain, formatMilliseconds, readJson } from '../../shared/client/request.ts'
import { findOwnMedia } from '../own-media.ts'
import type { Choice } from './form.ts'

export interface Filtered {
  readonly response: Response
  readonly ms: number
  /** Either picture or failure is set. */
  readonly picture?: Blob
  readonly failure?: Failure
}

export const filterPath = ({ filter, image, strength }: Choice) =>
  `api/v2/filter/${filter}?${new URLSearchParams({ image, ...(strength && { strength }) })}`

export async function requestFilter(path: string, signal: AbortSignal): Promise<Filtered> {
  const startedAt = performance.now()
  const response = await fetchOrExplain(path, { signal })
  if (!response.ok) return { response, ms: performance.now() - startedAt, failure: await readJson(response) }
  const picture = await response.blob()
  return { response, ms: performance.now() - startedAt, picture }
}

/** Loads the unfiltered image. Images of other hosts come through the service, because the page may not contact them. */
export function createOriginalLoader(unchanged: string) {
  let cached: { image: string; picture: Promise<Blob | undefined> } | undefined
  const load = async (image: string) => {
    const response = await fetchOrExplain(findOwnMedia(image, base) ?? unchanged + encodeURIComponent(image))
    return response.ok ? response.blob() : undefined
  }
  return (image: string): Promise<Blob | undefined> => {
    if (cached?.image !== image) cached = { image, picture: load(image).catch(() => undefined) }
    return cached.picture
  }
}

const CACHE_OUTCOMES: Record<string, string> = {
  hit: 'hit: from the cache',
  miss: 'miss: computed now',
  shared: 'shared: computed once for several requests',
}

/** Parses `fetch;dur=12.3, decode;dur=4.5`. */
const parseServerTiming = (header: string) =>
  [...header.matchAll(/([\w-]+);dur=([\d.]+)/g)].map(([, stage = '', ms = '0']) => [stage, Number(ms)] as const)

export function showDetails(response: Response, bytes: number, ms: number): void {
  const header = (name: string) => response.headers.get(name) ?? ''
  const stages = parseServerTiming(header('server-timing')).filter(([, dur]) => dur > 0)
  const rows: [string, string | Node][] = [
    ['Time', `${formatMilliseconds(ms)} in total`],
    ['On the server', stages.length > 0 ? createStageBars(stages) : 'no work needed'],
    ['X-Cache', CACHE_OUTCOMES[header('x-cache')] ?? header('x-cache')],
    ['Cache-Control', header('cache-control')],
    ['Image', `${header('content-type')}, ${formatBytes(bytes)}`],
  ]
  one('[data-details]').replaceChildren(
    ...rows.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))),
  )
}

export const clearDetails = () => one('[data-details]').replaceChildren()

function createStageBars(stages: readonly (readonly [string, number])[]): Node {
  const total = stages.reduce((sum, [, ms]) => sum + ms, 0)
  return element(
    'span',
    { className: 'stages' },
    ...stages.map(([stage, ms]) => {
      const bar = element('span', {}, `${stage} ${formatMilliseconds(ms)}`)
      bar.style.setProperty('--share', `${Math.round((ms / total) * 100)}%`)
      return bar
    }),
  )
}
