import type { ReleaseLinks } from '../links.ts'
import type { Offer } from '../offers.ts'

/** The reply of a dynamic update server for Tauri's updater. */
export interface TauriUpdate {
  readonly version: string
  readonly pub_date: string
  readonly url: string
  readonly signature: string
  readonly notes: string
}

/** Undefined: no update, which Tauri expects as status 204. Tauri cannot install a release without a signature. */
export function formatTauriUpdate(offer: Offer, links: ReleaseLinks): TauriUpdate | undefined {
  const release = offer.newest(({ signature }) => signature !== undefined)
  if (release?.signature === undefined) return undefined
  const { version, date, signature, notes } = release
  return { version, pub_date: date, url: links.download(release), signature, notes }
}
