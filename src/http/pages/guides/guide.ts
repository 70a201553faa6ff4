import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Code blocks with these languages are placeholders. `request`: a JSON request with its reply; `picture`: a request with
 * the picture it returns, and the path of the original in the second line to show it, too; `image`: the path of a
 * picture, and its alt text in the second line; `table`: a table made from data of the service, such as its filters.
 */
export type Placeholder = 'request' | 'picture' | 'image' | 'table'

/** HTML from the build, or a placeholder that is filled when the guide is served. */
export type GuidePart = { readonly html: string } | { readonly placeholder: Placeholder; readonly value: string }

export interface Guide {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly parts: readonly GuidePart[]
  readonly sections: readonly Section[]
}

/** What follows a heading: for the contents and the search. */
export interface Section {
  readonly id: string
  readonly title: string
  readonly text: string
}

export type GuideReader = () => Promise<readonly Guide[]>

/** Reads the built guides on first use. */
export function createGuideReader(siteDir: string): GuideReader {
  let reading: Promise<readonly Guide[]> | undefined
  return () => {
    reading ??= readFile(join(siteDir, 'guides.json'), 'utf8').then(JSON.parse)
    reading.catch(() => {
      reading = undefined
    })
    return reading
  }
}
