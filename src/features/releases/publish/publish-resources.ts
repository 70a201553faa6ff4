import { PublishError } from '../../../errors/index.ts'
import type { Change, EditOptions } from '../../../platform/files/index.ts'
import type { ResourcesRecord } from '../read/schemas.ts'
import { type Tier, tierNames } from '../release.ts'
import { chooseNames, isStored } from './asset-source.ts'
import {
  assertFilesAreFree,
  assertNewest,
  assertRule,
  editData,
  findVersion,
  type PublishOptions,
  parseInputDate,
  parseNewVersion,
  readData,
} from './edit-file.ts'
import { getExtension, getSourceName, type SourceOptions, stageSource } from './source.ts'

export async function publishResources(options: PublishOptions & SourceOptions) {
  const { dir, version, at = new Date().toISOString(), force = false, dryRun = false } = options
  const parsedVersion = parseNewVersion(version)
  const date = parseInputDate(at)
  const findExisting = (resources: readonly ResourcesRecord[]) =>
    resources[findVersion(resources, parsedVersion, 'resources')]
  const check = (resources: readonly ResourcesRecord[]) => {
    assertRule(!findExisting(resources), `resources ${version}`, 'is already published')
    const others = resources.filter(({ withdrawn }) => !withdrawn)
    if (!force) assertNewest(others, parsedVersion, 'resources')
  }
  const { resources = [] } = await readData(dir, 'resources.yaml')
  const existing = findExisting(resources)
  assertRule(!existing?.withdrawn, `resources ${version}`, 'is withdrawn')
  if (existing && existing.url === options.url) {
    const { date, bytes, sha256, file } = existing
    // A dry run computes the digest and copies nothing.
    const digest = options.sha256 ?? (await stageSource(dir, '', options, true)).digest.sha256
    if (digest.toLowerCase() === sha256.toLowerCase()) {
      const repaired = file === undefined || (await isStored(dir, file, existing)) ? [] : [file]
      for (const name of repaired) {
        const { moved, discard } = await stageSource(dir, name, { ...options, sha256 }, dryRun)
        await editData(dir, 'resources.yaml', () => {}, { ...options, moved }).finally(discard)
      }
      return { file: 'resources.yaml', diff: '', version, date, bytes, sha256, repaired }
    }
  }
  check(resources)
  const extension = options.file === undefined ? '' : getExtension(getSourceName(options))
  const [plan] = await chooseNames(dir, [{ name: `resources-${version}${extension}`, source: options }], false)
  const staged = await stageSource(dir, plan!.name, options, dryRun)
  try {
    const { bytes, sha256 } = staged.digest
    const change = await editData(
      dir,
      'resources.yaml',
      (document, { resources = [] }) => {
        check(resources)
        assertFilesAreFree(resources, [staged])
        if (!document.has('resources')) document.set('resources', document.createNode([]))
        document.addIn(['resources'], document.createNode({ version, date, ...staged.source, bytes, sha256 }))
      },
      { ...options, moved: staged.moved },
    )
    return { ...change, version, date, bytes, sha256, repaired: [] }
  } finally {
    if (!dryRun) await staged.discard()
  }
}

export async function readTier(dir: string, tier: `${Tier}`) {
  const { resources = {}, benefits = [] } = (await readData(dir, 'tiers.yaml'))[tier] ?? {}
  return { tier: Number(tier), name: tierNames[tier], resources, benefits }
}

interface TierOptions extends EditOptions {
  readonly dir: string
  readonly tier: `${Tier}`
  /** Versions by name. Null removes a resource; resources that are not named stay. */
  readonly resources?: Readonly<Record<string, string | null>> | undefined
  /** Replaces the whole list. */
  readonly benefits?: readonly string[] | undefined
  /** Removes resources and benefits that are not named. */
  readonly replace?: boolean | undefined
}

export const setTier = ({ dir, tier, replace, ...options }: TierOptions): Promise<Change> => {
  const { resources = {}, benefits = replace ? [] : undefined } = options
  return editData(
    dir,
    'tiers.yaml',
    (document, data) => {
      if (!document.has(tier)) document.set(tier, document.createNode({}))
      const removed = replace
        ? Object.keys(data[tier]?.resources ?? {}).filter((name) => !Object.hasOwn(resources, name))
        : []
      for (const name of removed) document.deleteIn([tier, 'resources', name])
      for (const [name, version] of Object.entries(resources)) {
        const path = [tier, 'resources', name]
        if (version !== null) document.setIn(path, version)
        else if (document.hasIn(path)) document.deleteIn(path)
        else throw new PublishError(`Tier ${tier} has no resource "${name}".`)
      }
      if (benefits) document.setIn([tier, 'benefits'], document.createNode(benefits))
    },
    options,
  )
}
