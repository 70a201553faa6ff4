import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A request for JSON, a request for a picture, or a table of what the service is made of. */
export type Gap = 'request' | 'picture' | 'table'

/** HTML that the build made, or a gap that is filled when the guide is shown. */
export type GuidePart = { readonly html: string } | { readonly gap: Gap; readonly value: string }

export interface Guide {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly parts: readonly GuidePart[]
}

/** As the build left them, in their order; read when they are first asked for. */
export function guideShelf(siteDir: string): () => Promise<readonly Guide[]> {
  let reading: Promise<readonly Guide[]> | undefined
  return () => {
    reading ??= readFile(join(siteDir, 'guides.json'), 'utf8').then(JSON.parse)
    reading.catch(() => {
      reading = undefined
    })
    return reading
  }
}
