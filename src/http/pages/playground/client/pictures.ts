import { type Failure, reach, readJson } from '../../shared/client/ask.ts'
import { base, relative } from '../../shared/client/dom.ts'
import type { Choice } from './choice.ts'

export interface Filtered {
  readonly response: Response
  readonly ms: number
  /** One of both. */
  readonly picture?: Blob
  readonly failure?: Failure
}

export const filterPath = ({ filter, image, strength }: Choice) =>
  `api/v2/filter/${filter}?${new URLSearchParams({ image, ...(strength && { strength }) })}`

export async function filtered(path: string, signal: AbortSignal): Promise<Filtered> {
  const begun = performance.now()
  const response = await reach(path, { signal })
  if (!response.ok) return { response, ms: performance.now() - begun, failure: await readJson(response) }
  const picture = await response.blob()
  return { response, ms: performance.now() - begun, picture }
}

/** The picture as it was. One of another host comes through the service, too: this page asks no other host. */
export function createBefore(unchanged: string) {
  let known: { image: string; picture: Promise<Blob | undefined> } | undefined
  const load = async (image: string) => {
    const own = image.startsWith(`${base}/media/`)
    const response = await reach(own ? relative(image) : unchanged + encodeURIComponent(image))
    return response.ok ? response.blob() : undefined
  }
  return (image: string): Promise<Blob | undefined> => {
    if (known?.image !== image) known = { image, picture: load(image).catch(() => undefined) }
    return known.picture
  }
}
