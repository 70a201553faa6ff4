import type { Asset, AssetKind, Platform, Target } from '../asset.ts'
import { isEdDsaSignature, parseTarget, readSignedVersion, selectAssets, selectKinds } from '../asset.ts'
import type { ReleaseLinks } from '../offers.ts'
import type { Release } from '../release.ts'
import { isSemantic, parseSentVersion } from '../version.ts'

/** The values of `{{bundle_type}}`: how the running program was installed. */
export const bundleTypes = ['appimage', 'deb', 'rpm', 'app', 'msi', 'nsis', 'unknown'] as const
export type BundleType = (typeof bundleTypes)[number]

interface TauriTarget extends Target {
  readonly bundleType: BundleType
}

/** `target` is a platform, or a custom target that the program has set, such as linux-x86_64-appimage. */
export function parseTauriTarget(target?: string, arch?: string, bundleType: BundleType = 'unknown'): TauriTarget {
  const [platform, ...words] = target?.split('-') ?? []
  const isBundleType = (word: string) => bundleTypes.some((type) => type === word)
  const ownArch = words.find((word) => word !== 'universal' && !isBundleType(word))
  const ownType = words.find(isBundleType) as BundleType | undefined
  return { ...parseTarget(platform, ownArch ?? arch), bundleType: ownType ?? bundleType }
}

/** What the updater can install, the best first. An archive contains an installer, an AppImage or an application. */
const installableKinds: Readonly<Record<Platform, readonly AssetKind[]>> = {
  windows: ['nsis', 'msi', 'zip'],
  macos: ['tar'],
  linux: ['appimage', 'tar', 'deb', 'rpm'],
}
/** On Windows the updater runs any installer. On Linux it would write a Debian package over an AppImage. */
const kindsByBundleType: Partial<Record<BundleType, readonly AssetKind[]>> = {
  msi: ['msi', 'nsis', 'zip'],
  appimage: ['appimage', 'tar'],
  deb: ['deb'],
  rpm: ['rpm'],
}

/**
 * The reply of a dynamic update server for Tauri's updater. Undefined: no update, which Tauri expects as status 204.
 * Tauri cannot install a file without a signature, and reads semantic versions only.
 */
export function formatTauriUpdate(releases: readonly Release[], target: TauriTarget, links: ReleaseLinks) {
  for (const release of releases) {
    const asset = isSemantic(release.parsedVersion) ? chooseAsset(release, target) : undefined
    if (!asset) continue
    const { version, date, notes } = release
    return {
      version,
      pub_date: date,
      url: links.downloadByName({ release, asset }),
      signature: asset.signature!,
      notes,
    }
  }
  return undefined
}

function chooseAsset(release: Release, target: TauriTarget): Asset | undefined {
  const kinds = kindsByBundleType[target.bundleType] ?? installableKinds[target.platform]
  const usable = selectAssets(release.assets, target).filter(
    ({ kind, signature }) => kinds.includes(kind) && isSignatureOf(release, signature),
  )
  // The first has the best architecture, which counts more than the kind.
  const best = usable.filter(({ arch }) => arch === usable[0]?.arch)
  return selectKinds(best, kinds)[0]
}

/** Tauri refuses a file that was signed for another version: `release supersede` publishes such files. */
function isSignatureOf({ parsedVersion }: Release, signature: string | undefined): boolean {
  if (signature === undefined || isEdDsaSignature(signature)) return false
  const signed = readSignedVersion(signature)
  return signed === undefined || parseSentVersion(signed)?.key === parsedVersion.key
}
