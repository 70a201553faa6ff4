// The files to publish: what they are for, and the names that they get in files/.

import { randomBytes } from 'node:crypto'
import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import { computeSha256 } from '../../../platform/files/index.ts'
import {
  ANY,
  type AssetTraits,
  archs,
  assetKinds,
  guessTraits,
  isEdDsaSignature,
  isPartial,
  platforms,
  readSignedVersion,
} from '../asset.ts'
import { getFileName, listAssets } from '../catalogue.ts'
import { isWebUrl, urlRule } from '../read/rules.ts'
import { MAX_ASSETS, type ReleaseRecord } from '../read/schemas.ts'
import { parseSentVersion, type Version } from '../version.ts'
import { assertInput, assertRule } from './edit-file.ts'
import { getExtension, getSourceName, type SourceOptions, stageSource } from './source.ts'

const BLOCKMAP = '.blockmap'
/** Decompressed. A blockmap has about 35 bytes for each block of 8 to 32 KB. */
const MAX_BLOCKMAP_BYTES = 16 * 1024 * 1024

/** What is not stated is guessed from the name of the file. */
export interface AssetSource extends SourceOptions, Partial<AssetTraits> {
  /** The content of the .sig file that Tauri's bundler creates. */
  readonly signature?: string | undefined
}

export interface AssetPlan {
  readonly source: AssetSource
  readonly traits: AssetTraits
  /** The future name in files/, or the name of the file at a URL. */
  readonly name: string
}

export function planAssets(application: string, version: Version, sources: readonly AssetSource[]): AssetPlan[] {
  const release = `${application}-${version.text}`
  assertInput(sources.length > 0, 'A release', 'must have at least one file or URL')
  // The time to compare them grows with their square.
  assertInput(sources.length <= MAX_ASSETS, 'A release', `must have at most ${MAX_ASSETS} files`)
  const plans = sources.map((source) => {
    const { file, url, signature } = source
    assertInput((file === undefined) !== (url === undefined), 'A file', 'must have either a path or a URL')
    assertInput(url === undefined || isWebUrl(url), 'The URL', urlRule)
    assertSignature(signature, version)
    const sourceName = file === undefined ? getFileName({ url: url! }) : getSourceName(source)
    const traits = assertTraits(source, guessTraits(sourceName))
    return { source, traits, name: file === undefined ? sourceName : composeName(release, sourceName, traits, source) }
  })
  for (const [index, plan] of plans.entries()) {
    const other = plans.slice(0, index).find((other) => isSameAsset(other, plan))
    assertRule(
      !other,
      `Two files are for ${describeTraits(plan.traits)}:`,
      'a release can have only one; state their platform, arch or kind',
    )
  }
  return plans
}

/** Two files that a release cannot both have. */
export const isSameAsset = (a: Pick<AssetPlan, 'name' | 'traits'>, b: Pick<AssetPlan, 'name' | 'traits'>) =>
  a.name === b.name || (!isPartial(a.traits) && describeTraits(a.traits) === describeTraits(b.traits))

export const describeTraits = ({ platform, arch, kind }: AssetTraits) => `${platform}, ${arch}, ${kind}`

/** A stated kind is that of the file. Its blockmap stays a blockmap. */
function assertTraits(stated: Partial<AssetTraits>, guess: AssetTraits): AssetTraits {
  const { platform = guess.platform, arch = guess.arch, kind = guess.kind } = stated
  for (const [name, value, allowed] of [
    ['platform', platform, [...platforms, ANY]],
    ['arch', arch, [...archs, ANY]],
    ['kind', kind, assetKinds],
  ] as const) {
    assertInput((allowed as readonly string[]).includes(value), `The ${name}`, `must be one of ${allowed.join(', ')}`)
  }
  return { platform, arch, kind: guess.kind === 'blockmap' ? guess.kind : kind }
}

const toFileName = (text: string) => text.replace(/[^\w.-]+|^\.+/g, '-')

/** Names tell platform and arch: electron-updater chooses by name. A blockmap has the name of its file. */
function composeName(
  release: string,
  sourceName: string,
  { platform, arch, kind }: AssetTraits,
  stated: Partial<AssetTraits>,
): string {
  if (kind === 'blockmap') {
    const fileName = sourceName.slice(0, -BLOCKMAP.length)
    const fileTraits = { platform, arch, kind: stated.kind ?? guessTraits(fileName).kind }
    return composeName(release, fileName, fileTraits, stated) + BLOCKMAP
  }
  const extension = getExtension(sourceName)
  // Velopack finds its packages by the end of their names, and their id is the start.
  if (extension === '.nupkg') return toFileName(sourceName)
  const implied = guessTraits(extension)
  const words = [
    platform === implied.platform || platform === ANY ? [] : platform,
    arch === implied.arch ? [] : arch === ANY ? 'universal' : arch,
    kind === implied.kind ? [] : kind,
    // A release may have deltas from several versions.
    kind === 'delta' ? toFileName(sourceName.slice(0, sourceName.length - extension.length)) : [],
  ]
  return [release, ...words.flat()].join('-') + extension
}

/**
 * Tauri's bundler writes a minisign signature in Base64, Sparkle's `sign_update` an EdDSA signature; their updaters accept
 * no other form. Only the form is checked: the updater has the key and verifies the signature.
 */
function assertSignature(text: string | undefined, { key, text: version }: Version): void {
  if (text === undefined) return
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(text)
  const isMinisign = isBase64 && Buffer.from(text, 'base64').toString().startsWith('untrusted comment:')
  const rule =
    'must be the content of a .sig file that Tauri’s bundler wrote, or an EdDSA signature of Sparkle in Base64'
  assertRule(isMinisign || isEdDsaSignature(text), 'The signature', rule)
  const signed = readSignedVersion(text)
  const isSame = signed === undefined || parseSentVersion(signed)?.key === key
  assertRule(isSame, 'The signature', `is for version ${signed} instead of ${version}; Tauri would refuse the file`)
}

/**
 * electron-builder appends its block map to an AppImage: compressed JSON, then its size in four bytes. electron-updater
 * needs that size to download only changed blocks.
 */
export async function readBlockMapSize({ traits: { kind }, source: { file } }: AssetPlan): Promise<number | undefined> {
  if (kind !== 'appimage' || file === undefined) return undefined
  await using handle = await open(file).catch(() => null)
  // A dry run may have no file.
  if (!handle) return undefined
  const { size: fileSize } = await handle.stat()
  const read = async (length: number, end: number) =>
    (await handle.read(Buffer.alloc(length), 0, length, Math.max(0, end - length))).buffer
  const size = (await read(4, fileSize)).readUInt32BE()
  if (size === 0 || size > Math.min(fileSize - 4, MAX_BLOCKMAP_BYTES)) return undefined
  try {
    const limits = { maxOutputLength: MAX_BLOCKMAP_BYTES }
    JSON.parse(inflateRawSync(await read(size, fileSize - 4), limits).toString())
    return size
  } catch {
    return undefined
  }
}

// The files in files/, which belong to published releases, or to those that were undone and may be restored.

type FileDigest = { readonly bytes: number; readonly sha256: string }

const statFile = (path: string) => stat(path).catch(() => undefined)

/** False if the file is lost or damaged. */
export async function isStored(dir: string, name: string, { bytes, sha256 }: FileDigest): Promise<boolean> {
  const path = join(dir, 'files', name)
  const found = await statFile(path)
  return found?.isFile() === true && found.size === bytes && (await computeSha256(path)) === sha256.toLowerCase()
}

/**
 * Names for these files. If one of the names belongs to other bytes, all get the same suffix: the names of a file and its
 * blockmap must match. With `isNew` all get it in any case, because they replace published files.
 */
export async function chooseNames<Plan extends { readonly name: string; readonly source: SourceOptions }>(
  dir: string,
  plans: readonly Plan[],
  isNew: boolean,
): Promise<Plan[]> {
  const isTaken = async ({ name, source: { file } }: Plan) => {
    if (file === undefined || !(await statFile(join(dir, 'files', name)))) return false
    const size = (await statFile(file))?.size
    return size === undefined || !(await isStored(dir, name, { bytes: size, sha256: await computeSha256(file) }))
  }
  const areTaken = isNew || (await Promise.all(plans.map(isTaken))).includes(true)
  const suffix = `-${randomBytes(3).toString('hex')}`
  const rename = (plan: Plan) => ({ ...plan, name: plan.name.replace(/(?=(?:-full|-delta)?\.[a-z]|$)/i, suffix) })
  return plans.map((plan) => (areTaken && plan.source.file !== undefined ? rename(plan) : plan))
}

/**
 * Separates the files that are new from those that are already published for the same purpose. Of the latter, only
 * those whose stored file is lost or damaged need work.
 */
export async function splitPlans(dir: string, existing: ReleaseRecord, plans: readonly AssetPlan[]) {
  const added: AssetPlan[] = []
  const repaired: AssetPlan[] = []
  for (const plan of plans) {
    const { source, traits } = plan
    const url = source.url && URL.parse(source.url)?.href
    const candidates = listAssets(existing).filter(
      (asset) =>
        asset.source.url === url &&
        describeTraits(asset) === describeTraits(traits) &&
        (source.signature ?? asset.signature) === asset.signature,
    )
    // A dry run computes the digests and copies nothing.
    const known =
      candidates.length > 0 && source.sha256 === undefined
        ? { ...source, ...(await stageSource(dir, plan.name, source, true)).digest }
        : source
    const asset = candidates.find(({ sha256 }) => sha256 === known.sha256?.toLowerCase())
    if (!asset) added.push({ ...plan, source: url === undefined ? source : known })
    else if (asset.source.file !== undefined && !(await isStored(dir, asset.source.file, asset)))
      repaired.push({ ...plan, name: asset.source.file, source: known })
  }
  return { added, repaired }
}
