import { type Content, type PictureItem, parseDrawingName } from '../../../features/content/index.ts'
import { buildPicturePath } from '../../api/item-replies.ts'

export interface Sample {
  readonly kind: string
  /** Relative to the base URL, without a leading slash. */
  readonly path: string
  /** The same picture for a small place on the page. */
  readonly thumbnailPath: string
  readonly alt: string
}

const MAX_SAMPLES = 8
/** More than a thumbnail is wide, for sharp screens. */
const THUMBNAIL_WIDTH = 128

/**
 * Lists one picture per kind. They stay the same until the content changes: new ones would make the service draw animals
 * for each visit, and no cache would have their filtered images. A seed would give all nodes the same ones, but random
 * drawings are rendered in advance.
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
        const item = content.pick('animals', kind)
        return { kind, path: pathOf(item), thumbnailPath: thumbnailOf(item), alt: item.credit().alt ?? kind }
      })
  }
}

const pathOf = (item: PictureItem) => buildPicturePath(item).slice(1)

/** The SVG of a drawing needs no image process, which a service that has just started has to start first. */
const thumbnailOf = (item: PictureItem) =>
  parseDrawingName(item.file) ? pathOf(item).replace(/\w+$/, 'svg') : `${pathOf(item)}?width=${THUMBNAIL_WIDTH}`
