import { type Asset, selectAssets, type Target } from '../asset.ts'
import type { Channel, Release } from '../release.ts'
import { isSemantic } from '../version.ts'

export interface VelopackFile extends Target {
  readonly channel: Channel
}

const FILE = /^releases\.([a-z0-9-]{1,40})\.json$/
/** The words that a channel name of Velopack may consist of, such as "win", "osx-arm64" or "linux-beta". */
const channelWords: ReadonlyMap<string, Partial<VelopackFile>> = new Map(
  Object.entries({
    win: { platform: 'windows' },
    osx: { platform: 'macos' },
    linux: { platform: 'linux' },
    x64: { arch: 'x64' },
    arm64: { arch: 'arm64' },
    x86: { arch: 'ia32' },
    stable: { channel: 'stable' },
    beta: { channel: 'beta' },
  } as const),
)

/** The file that Velopack's UpdateManager appends to its URL. Undefined for another name. */
export function parseVelopackFile(name: string): VelopackFile | undefined {
  const parts = FILE.exec(name)?.[1]
    ?.split('-')
    .map((word) => channelWords.get(word))
  if (!parts || parts.includes(undefined)) return undefined
  return Object.assign({ channel: 'stable', platform: 'windows', arch: 'x64' } as const, ...parts)
}

/** For one machine. Velopack applies at most ten deltas by default. Older installations download a full package. */
const MAX_RELEASES = 100

/**
 * The index of packages for Velopack. It reads semantic versions only, requires a full package of the newest version, and
 * downloads `FileName` from the folder of the index.
 */
export const formatVelopackIndex = (releases: readonly Release[], target: Target) => ({
  Assets: releases
    .values()
    .filter(({ parsedVersion }) => isSemantic(parsedVersion))
    .map((release) => {
      const packages = selectAssets(release.assets, target).filter(isPackage)
      const full = packages.find(({ kind }) => kind === 'nupkg')
      if (!full) return []
      // The last one: replaced deltas come before it, because their names differ.
      const delta = packages.findLast(({ kind, arch }) => kind === 'delta' && arch === full.arch)
      return [full, ...(delta ? [delta] : [])].map((asset) => formatPackage(release, asset))
    })
    .filter((packages) => packages.length > 0)
    .take(MAX_RELEASES)
    .toArray()
    .flat(),
})

export const isPackage = ({ name }: { readonly name: string }) => name.toLowerCase().endsWith('.nupkg')

const formatPackage = ({ version, notes }: Release, { kind, name, bytes, sha1, sha256 }: Asset) => ({
  PackageId: name.split(`-${version}`)[0],
  Version: version,
  Type: kind === 'delta' ? 'Delta' : 'Full',
  FileName: name,
  SHA1: sha1?.toUpperCase() ?? '',
  SHA256: sha256.toUpperCase(),
  Size: bytes,
  NotesMarkdown: notes,
})
