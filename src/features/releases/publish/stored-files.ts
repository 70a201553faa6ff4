// The files in files/, which belong to published releases, or to those that were undone and may be restored.
import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { listAssets } from '../catalogue.ts'
import type { ReleaseRecord } from '../read/schemas.ts'
import { type AssetPlan, describeTraits } from './asset-source.ts'
import { computeDigest, type SourceOptions, stageSource } from './source.ts'

interface FileDigest {
  readonly bytes: number
  readonly sha256: string
}

const statFile = (path: string) => stat(path).catch(() => undefined)
const digestFile = async (path: string) => (await computeDigest(createReadStream(path))).sha256

/** False if the file is lost or damaged. */
export async function isStored(dir: string, name: string, { bytes, sha256 }: FileDigest): Promise<boolean> {
  const path = join(dir, 'files', name)
  const found = await statFile(path)
  return found?.isFile() === true && found.size === bytes && (await digestFile(path)) === sha256
}

/**
 * Names for these files. If one of the names belongs to other bytes, all get the same suffix: the names of a file and its
 * blockmap must match. With `isNew`, no file of this name may ever be overwritten.
 */
export async function chooseNames<Plan extends { readonly name: string; readonly source: SourceOptions }>(
  dir: string,
  plans: readonly Plan[],
  isNew: boolean,
): Promise<Plan[]> {
  const isTaken = async ({ name, source: { file } }: Plan) => {
    if (file === undefined || !(await statFile(join(dir, 'files', name)))) return false
    const size = (await statFile(file))?.size
    return size === undefined || !(await isStored(dir, name, { bytes: size, sha256: await digestFile(file) }))
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
