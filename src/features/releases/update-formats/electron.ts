import { stringify } from 'yaml'
import type { ReleaseLinks } from '../links.ts'
import type { Release } from '../release.ts'

/** File types that electron-updater can install; on Windows it does not check the type. */
const installableFiles = {
  Windows: /(?:)/,
  macOS: /\.(?:zip|dmg)$/i,
  Linux: /\.(?:appimage|deb|rpm|pacman)$/i,
}
export type Platform = keyof typeof installableFiles

/**
 * The text of electron-builder's latest.yml. Undefined: no release for this platform, which electron-updater expects as
 * status 404. It refuses a file without SHA-512.
 */
export function formatElectronUpdate(
  releases: readonly Release[],
  platform: Platform,
  links: ReleaseLinks,
): string | undefined {
  const release = releases.find(({ sha512, name }) => sha512 !== undefined && installableFiles[platform].test(name))
  if (release?.sha512 === undefined) return undefined
  const url = links.downloadByName(release)
  const sha512 = Buffer.from(release.sha512, 'hex').toString('base64')
  const update = {
    version: release.version,
    files: [{ url, sha512, size: release.bytes }],
    path: url,
    sha512,
    releaseName: release.version,
    releaseNotes: release.notes,
    releaseDate: release.date,
  }
  // Quoted, because electron-updater's YAML parser would turn an unquoted date into a Date.
  return stringify(update, { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 })
}
