import { stringify } from 'yaml'
import { type Arch, type Asset, type AssetKind, type Platform, selectAssets, selectKinds } from '../asset.ts'
import type { ReleaseLinks } from '../offers.ts'
import type { Channel, Release } from '../release.ts'
import { isSemantic } from '../version.ts'

export interface ElectronFile {
  readonly channel: Channel
  readonly platform: Platform
  /** The file lists installers for all of them, and electron-updater chooses by the name. */
  readonly archs: readonly Arch[]
}

const channelNames = { latest: 'stable', beta: 'beta' } as const
/** electron-updater names its architecture only on Linux. */
const platformSuffixes: Readonly<Record<string, Omit<ElectronFile, 'channel'>>> = {
  '': { platform: 'windows', archs: ['x64', 'arm64', 'ia32'] },
  '-mac': { platform: 'macos', archs: ['x64', 'arm64'] },
  '-linux': { platform: 'linux', archs: ['x64'] },
  '-linux-arm64': { platform: 'linux', archs: ['arm64'] },
  '-linux-arm': { platform: 'linux', archs: ['arm'] },
  '-linux-ia32': { platform: 'linux', archs: ['ia32'] },
}

/** The file names that electron-updater appends to the URL of its generic provider. */
export const electronFiles: ReadonlyMap<string, ElectronFile> = new Map(
  Object.entries(channelNames).flatMap(([start, channel]) =>
    Object.entries(platformSuffixes).map(([end, file]) => [`${start}${end}.yml`, { channel, ...file }] as const),
  ),
)

/**
 * What electron-updater can install. On macOS it installs a zip file: with a dmg file for arm64 in the list, a Mac with an
 * Apple processor would ignore a zip file for all Macs, and fail.
 */
const installableKinds: Readonly<Record<Platform, readonly AssetKind[]>> = {
  windows: ['nsis'],
  macos: ['zip'],
  linux: ['appimage', 'deb', 'rpm', 'pacman'],
}

/**
 * The text of electron-builder's latest.yml. Undefined: no release for this platform, which electron-updater expects as
 * status 404. It refuses a file without SHA-512, and reads semantic versions only.
 */
export function formatElectronUpdate(
  releases: readonly Release[],
  target: Omit<ElectronFile, 'channel'>,
  links: ReleaseLinks,
): string | undefined {
  for (const release of releases) {
    const assets = isSemantic(release.parsedVersion) ? listInstallable(release, target) : []
    if (assets.length > 0) return formatRelease(release, assets, links)
  }
  return undefined
}

function listInstallable({ assets }: Release, { platform, archs }: Omit<ElectronFile, 'channel'>): Asset[] {
  const kinds = installableKinds[platform]
  const listFor = (arch: Arch) =>
    selectKinds(selectAssets(assets, { platform, arch }), kinds).filter(({ sha512 }) => sha512 !== undefined)
  // On Windows, electron-updater takes the first file if no name contains its architecture: it must run on x64.
  if (platform === 'windows' && listFor('x64').length === 0) return []
  return [...new Set(archs.flatMap(listFor))]
}

function formatRelease(release: Release, assets: readonly Asset[], links: ReleaseLinks): string {
  const files = assets.map((asset) => {
    const blockMap = release.assets.find(({ name }) => name === `${asset.name}.blockmap`)
    // The block map of an AppImage is in the file itself.
    const blockMapSize = asset.kind === 'appimage' ? asset.blockMapSize : blockMap?.bytes
    return {
      url: links.downloadByName({ release, asset }),
      sha512: Buffer.from(asset.sha512!, 'hex').toString('base64'),
      size: asset.bytes,
      ...(blockMapSize !== undefined && { blockMapSize }),
    }
  })
  const update = {
    version: release.version,
    files,
    path: files[0]!.url,
    sha512: files[0]!.sha512,
    releaseName: release.version,
    releaseNotes: release.notes,
    releaseDate: release.date,
  }
  // Quoted, because electron-updater's YAML parser would turn an unquoted date into a Date.
  return stringify(update, { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 })
}
