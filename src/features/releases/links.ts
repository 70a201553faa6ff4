import type { Target } from './asset.ts'
import type { Offer } from './catalogue.ts'

/** The public URLs that update formats contain. The HTTP layer knows the paths and provides them. */
export interface ReleaseLinks {
  /** Every download goes through the service, so that it is counted. */
  download(offer: Offer, target: Target): string
  /**
   * A path that ends in the name of the file: electron-updater takes name and type from there, and replaces the query
   * by its own.
   */
  downloadByName(offer: Offer): string
}
