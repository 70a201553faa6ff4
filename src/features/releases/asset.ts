// The files of a release: their platform, architecture and kind.
import { InvalidParameter } from '../../errors/index.ts'

export const platforms = ['windows', 'macos', 'linux'] as const
export type Platform = (typeof platforms)[number]

/** The names of Node's `process.arch`. A universal file is for `any`. */
export const archs = ['x64', 'arm64', 'ia32', 'arm', 'riscv64'] as const
export type Arch = (typeof archs)[number]

export const ANY = 'any'

/** Ordered by preference, if several files suit a client: installers before archives. */
export const assetKinds = [
  ...['nsis', 'msi', 'dmg', 'pkg', 'appimage', 'deb', 'rpm', 'pacman', 'msix', 'portable'],
  ...['zip', 'tar', 'file', 'nupkg', 'blockmap', 'delta'],
] as const
export type AssetKind = (typeof assetKinds)[number]

/** Only updaters use these, together with another file. A release may have several for one platform and architecture. */
const partialKinds: readonly AssetKind[] = ['blockmap', 'delta']
export const isPartial = ({ kind }: { readonly kind: AssetKind }) => partialKinds.includes(kind)

/** A file in `files/`, or a URL of another server. */
export type DownloadSource =
  | { readonly file: string; readonly url?: undefined }
  | { readonly url: string; readonly file?: undefined }

/** A file as it is downloaded. */
export interface PublishedFile {
  readonly source: DownloadSource
  /** The file name that clients see. */
  readonly name: string
  readonly bytes: number
  readonly sha256: string
}

/** The machines that a file is for, and its kind. */
export interface AssetTraits {
  readonly platform: Platform | typeof ANY
  readonly arch: Arch | typeof ANY
  readonly kind: AssetKind
}

export interface Asset extends PublishedFile, AssetTraits {
  /** When it replaced another file of its release. */
  readonly date?: string | undefined
  readonly sha1?: string | undefined
  readonly sha512?: string | undefined
  /** Bytes of the block map at the end of an AppImage, for electron-updater. */
  readonly blockMapSize?: number | undefined
  readonly signature?: string | undefined
}

/** The EdDSA signature of Sparkle's `sign_update`: 64 bytes in Base64. Signatures for Tauri are longer. */
export const isEdDsaSignature = (text = '') => /^[A-Za-z0-9+/]{86}==$/.test(text)

/** The version in the signed comment of a signature by Tauri's bundler. Older bundlers wrote none. */
export const readSignedVersion = (signature: string): string | undefined =>
  /^trusted comment:.*\tversion:([^\t\n]+)/m.exec(Buffer.from(signature, 'base64').toString())?.[1]

/** The machine that a client runs on. */
export type Target = { readonly platform: Platform; readonly arch: Arch }

export const defaultTarget: Target = { platform: 'windows', arch: 'x64' }

/** The names of Rust, which Tauri's updater sends. */
const otherPlatformNames: Readonly<Record<string, Platform>> = { darwin: 'macos' }
const otherArchNames: Readonly<Record<string, Arch>> = { x86_64: 'x64', aarch64: 'arm64', i686: 'ia32', armv7: 'arm' }
export const platformNames = [...platforms, ...Object.keys(otherPlatformNames)]
export const archNames = [...archs, ...Object.keys(otherArchNames)]

export const parseTarget = (platform: string = defaultTarget.platform, arch: string = defaultTarget.arch): Target => ({
  platform: parseName('platform', platform, platforms, otherPlatformNames),
  arch: parseName('arch', arch, archs, otherArchNames),
})

function parseName<Name extends string>(
  parameter: string,
  text: string,
  allowed: readonly Name[],
  otherNames: Readonly<Record<string, Name>>,
): Name {
  const found =
    allowed.find((name) => name === text) ?? (Object.hasOwn(otherNames, text) ? otherNames[text] : undefined)
  if (!found) throw new InvalidParameter(parameter, `one of ${allowed.join(', ')}`, { allowed })
  return found
}

/** Windows on x64 also runs 32-bit programs. */
const listArchs = ({ platform, arch }: Target): string[] =>
  platform === 'windows' && arch === 'x64' ? [arch, ANY, 'ia32'] : [arch, ANY]

/** The assets that run on a machine, the best first: its own architecture, its own platform, then by kind. */
export function selectAssets<Item extends AssetTraits>(assets: readonly Item[], target: Target): Item[] {
  const usableArchs = listArchs(target)
  const rank = ({ platform, arch, kind }: AssetTraits) =>
    (usableArchs.indexOf(arch) * 2 + (platform === ANY ? 1 : 0)) * assetKinds.length + assetKinds.indexOf(kind)
  return assets
    .filter(({ platform, arch }) => (platform === target.platform || platform === ANY) && usableArchs.includes(arch))
    .sort((a, b) => rank(a) - rank(b))
}

/** The assets of these kinds, in the order of the kinds. */
export const selectKinds = <Item extends AssetTraits>(assets: readonly Item[], kinds: readonly AssetKind[]): Item[] =>
  assets.filter(({ kind }) => kinds.includes(kind)).sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind))

const platformWords: readonly (readonly [Platform, RegExp])[] = [
  ['windows', /^(?:win|windows|win32|win64)$/],
  ['macos', /^(?:mac|macos|osx|darwin)$/],
  ['linux', /^linux$/],
]
const archWords: readonly (readonly [Arch | typeof ANY, RegExp])[] = [
  ['any', /^(?:universal|universal2|noarch|all|anycpu)$/],
  ['x64', /^(?:x64|amd64|win64|x86_64)$/],
  ['arm64', /^(?:arm64|aarch64)$/],
  ['arm', /^(?:arm|armv7|armv7l|armhf)$/],
  ['ia32', /^(?:ia32|x86|i386|i686)$/],
  ['riscv64', /^riscv64$/],
]
/** Kind and default platform by file name ending. A platform name in the file name overrides the default. */
const endings: readonly (readonly [RegExp, AssetKind, Platform?])[] = [
  [/\.blockmap$/, 'blockmap'],
  [/(?:[-_.]delta\.nupkg|\.delta)$/, 'delta'],
  [/\.nupkg$/, 'nupkg', 'windows'],
  [/portable.*\.exe$/, 'portable', 'windows'],
  [/\.exe$/, 'nsis', 'windows'],
  [/\.msi$/, 'msi', 'windows'],
  [/\.(?:msix|appx)(?:bundle)?$/, 'msix', 'windows'],
  [/\.(?:nsis|msi)\.zip$/, 'zip', 'windows'],
  [/\.dmg$/, 'dmg', 'macos'],
  [/\.pkg$/, 'pkg', 'macos'],
  [/\.app\.tar\.gz$/, 'tar', 'macos'],
  [/\.appimage$/, 'appimage', 'linux'],
  [/\.appimage\.tar\.gz$/, 'tar', 'linux'],
  [/\.deb$/, 'deb', 'linux'],
  [/\.rpm$/, 'rpm', 'linux'],
  [/\.pacman$/, 'pacman', 'linux'],
  [/\.zip$/, 'zip'],
  [/\.(?:tar(?:\.\w+)?|tgz)$/, 'tar'],
  [/(?:)/, 'file'],
]

/**
 * Guesses the traits from a file name. A file for Linux without an architecture is for x64, because electron-builder names
 * only the others. A blockmap has the platform and architecture of the file that it describes.
 */
export function guessTraits(fileName: string): AssetTraits {
  const name = fileName.toLowerCase()
  const [, kind, endingPlatform] = endings.find(([ending]) => ending.test(name))!
  if (kind === 'blockmap') return { ...guessTraits(name.slice(0, -'.blockmap'.length)), kind }
  const words = name.replace(/x86[-_]64/, 'x86_64').match(/x86_64|[a-z0-9]+/g) ?? []
  const find = <Value>(list: readonly (readonly [Value, RegExp])[]) =>
    list.find(([, pattern]) => words.some((word) => pattern.test(word)))?.[0]
  const platform =
    find(platformWords) ?? endingPlatform ?? (kind === 'delta' && name.endsWith('.nupkg') ? 'windows' : ANY)
  return { platform, arch: find(archWords) ?? (platform === 'linux' ? 'x64' : ANY), kind }
}
