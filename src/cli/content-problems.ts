import { join } from 'node:path'
import type { Releases } from '../features/releases/index.ts'
import { silent } from './open.ts'

/** `file:line rule: message`, which editors can jump to. */
export const placeOf = ({ file, line }: { file: string; line?: number | undefined }) =>
  `${file}${line === undefined ? '' : `:${line}`}`

/** The releases of a content folder as a service would read them. */
export async function withLiveReleases<T>(
  contentDir: string,
  work: (releases: Releases, dir: string) => Promise<T> | T,
): Promise<T> {
  const { openReleases } = await import('../features/releases/index.ts')
  const dir = join(contentDir, 'app')
  const releases = await openReleases({ dir, log: silent })
  try {
    return await work(releases, dir)
  } finally {
    await releases.close()
  }
}

export const inApp = <Found extends { file: string }>(problems: readonly Found[]): Found[] =>
  problems.map((problem) => ({ ...problem, file: `app/${problem.file}` }))
