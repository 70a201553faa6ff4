import { isEdDsaSignature, selectAssets, type Target } from '../asset.ts'
import type { ReleaseLinks } from '../links.ts'
import type { Release } from '../release.ts'
import { isSemantic } from '../version.ts'

/**
 * The reply of a dynamic update server for Tauri's updater. Undefined: no update, which Tauri expects as status 204.
 * Tauri cannot install a file without a signature, and reads semantic versions only.
 */
export function formatTauriUpdate(releases: readonly Release[], target: Target, links: ReleaseLinks) {
  for (const release of releases) {
    const asset = selectAssets(release.assets, target).find(
      ({ signature }) => signature !== undefined && !isEdDsaSignature(signature),
    )
    if (!asset || !isSemantic(release.order)) continue
    const { version, date, notes } = release
    return { version, pub_date: date, url: links.downloadByName({ release, asset }), signature: asset.signature, notes }
  }
  return undefined
}
