// The launcher's updates in the words of two updaters.
import { stringify } from 'yaml'
import type { ReleaseLinks } from './links.ts'
import type { Offer } from './offers.ts'

export interface TauriUpdate {
  readonly version: string
  readonly pub_date: string
  readonly url: string
  readonly signature: string
  readonly notes: string
}

/** What Tauri's updater expects of a dynamic server; undefined means 204. It cannot use a release without signature. */
export function tauriUpdate(offer: Offer, links: ReleaseLinks): TauriUpdate | undefined {
  const release = offer.newest(({ signature }) => signature !== undefined)
  if (release?.signature === undefined) return undefined
  const { version, date, signature, notes } = release
  return { version, pub_date: date, url: links.download(release), signature, notes }
}

/** What electron-updater can install on a platform, by the end of the file's name; on Windows that is not looked at. */
const installable = {
  Windows: /(?:)/,
  macOS: /\.(?:zip|dmg)$/i,
  Linux: /\.(?:appimage|deb|rpm|pacman)$/i,
}
export type Platform = keyof typeof installable

/** The text of electron-builder's latest.yml; undefined means 404. electron-updater refuses a file without SHA-512. */
export function electronUpdate(
  offer: Offer,
  platform: Platform,
  links: ReleaseLinks,
): { readonly text: string } | undefined {
  const release = offer.newest(({ sha512, name }) => sha512 !== undefined && installable[platform].test(name))
  if (release?.sha512 === undefined) return undefined
  const url = links.downloadByName(release)
  const sha512 = Buffer.from(release.sha512, 'hex').toString('base64')
  const info = {
    version: release.version,
    files: [{ url, sha512, size: release.bytes }],
    path: url,
    sha512,
    releaseName: release.version,
    releaseNotes: release.notes,
    releaseDate: release.date,
  }
  // Quoted, because electron-updater's YAML would make a Date of the bare text.
  return { text: stringify(info, { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 }) }
}
