import type { ReleaseLinks } from '../links.ts'
import type { Release } from '../release.ts'

/**
 * The reply of a dynamic update server for Tauri's updater. Undefined: no update, which Tauri expects as status 204.
 * Tauri cannot install a release without a signature.
 */
export function formatTauriUpdate(releases: readonly Release[], links: ReleaseLinks) {
  const release = releases.find(({ signature }) => signature !== undefined)
  if (!release) return undefined
  const { version, date, signature, notes } = release
  return { version, pub_date: date, url: links.download(release), signature, notes }
}
