import { formatBytes } from '../../shared/client/bytes.ts'
import { base, element, one } from '../../shared/client/dom.ts'
import { type Failure, fetchOrExplain, formatMilliseconds, readJson } from '../../shared/client/request.ts'
import { buildOriginalPath } from '../choice.ts'

interface Picture {
  readonly blob: Blob
  /** `512 × 384`, or empty if the browser cannot read the format. */
  readonly size: string
}

export interface Filtered {
  readonly response: Response
  readonly ms: number
  /** Either picture or failure is set. */
  readonly picture?: Picture
  readonly failure?: Failure
}

export async function requestFilter(path: string, signal: AbortSignal): Promise<Filtered> {
  const startedAt = performance.now()
  const response = await fetchOrExplain(path, { signal })
  if (!response.ok) return { response, ms: performance.now() - startedAt, failure: await readJson(response) }
  const blob = await response.blob()
  return { response, ms: performance.now() - startedAt, picture: { blob, size: await measure(blob) } }
}

async function measure(blob: Blob): Promise<string> {
  try {
    const bitmap = await createImageBitmap(blob)
    const { width, height } = bitmap
    bitmap.close()
    return `${width} × ${height}`
  } catch {
    return ''
  }
}

/** Loads the unfiltered image. */
export function createOriginalLoader() {
  let cached: { image: string; picture: Promise<Blob | undefined> } | undefined
  const load = async (image: string) => {
    const response = await fetchOrExplain(buildOriginalPath(image, base))
    return response.ok ? response.blob() : undefined
  }
  /** `isAvailable`: the service has just read the source, so an earlier failure was temporary. */
  return async (image: string, isAvailable: boolean): Promise<Blob | undefined> => {
    const known = cached?.image === image ? cached : undefined
    const picture = await known?.picture
    if (known && (picture || !isAvailable)) return picture
    cached = { image, picture: load(image).catch(() => undefined) }
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

export function showDetails(response: Response, { blob, size }: Picture, ms: number): void {
  const header = (name: string) => response.headers.get(name) ?? ''
  const stages = parseServerTiming(header('server-timing')).filter(([, dur]) => dur > 0)
  const rows: [string, string | Node][] = [
    ['Time', `${formatMilliseconds(ms)} in total`],
    ['Image', [size, formatBytes(blob.size), header('content-type')].filter(Boolean).join(', ')],
    ['On the server', createStageBars(stages)],
    ['X-Cache', CACHE_OUTCOMES[header('x-cache')] ?? header('x-cache')],
    ['Cache-Control', header('cache-control')],
  ]
  if (header('x-fallback')) rows.push(['X-Fallback', `${header('x-fallback')}: the source failed`])
  showRows(rows)
}

export const showRows = (rows: readonly (readonly [string, string | Node])[]) =>
  one('[data-details]').replaceChildren(
    ...rows.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))),
  )

export const clearDetails = () => one('[data-details]').replaceChildren()

function createStageBars(stages: readonly (readonly [string, number])[]): Node {
  const total = stages.reduce((sum, [, ms]) => sum + ms, 0)
  return element(
    'span',
    { className: 'stages' },
    ...(stages.length > 0 ? [] : ['no work needed']),
    ...stages.map(([stage, ms]) => {
      const bar = element('span', {}, `${stage} ${formatMilliseconds(ms)}`)
      bar.style.setProperty('--share', `${Math.round((ms / total) * 100)}%`)
      return bar
    }),
  )
}
