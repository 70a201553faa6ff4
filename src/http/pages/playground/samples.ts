import type { Content } from '../../../features/content/index.ts'
import { buildPicturePath } from '../../api/picture-item.ts'

export interface Sample {
  readonly kind: string
  /** Relative to the base URL, without a leading slash. */
  readonly path: string
  readonly alt: string
}

const MAX_SAMPLES = 8
const SEED = 'playground'

/**
 * Lists one picture per kind. They are the same on every visit until the content changes: random ones would make the
 * service draw new animals for each visit, and no cache would have their filtered images.
 */
export function createSampleList(content: Content): () => readonly Sample[] {
  let listed: { readonly revision: number; readonly samples: readonly Sample[] } | undefined
  return () => {
    const { revision } = content
    if (listed?.revision !== revision) listed = { revision, samples: list() }
    return listed.samples
  }

  function list(): Sample[] {
    return content
      .kinds('animals')
      .slice(0, MAX_SAMPLES)
      .map((kind) => {
        const item = content.pick('animals', kind, { seed: SEED })
        return { kind, path: buildPicturePath(item).slice(1), alt: item.credit().alt ?? kind }
      })
  }
}
