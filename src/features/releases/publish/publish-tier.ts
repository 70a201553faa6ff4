import { PublishError } from '../../../errors/index.ts'
import type { Change, EditOptions } from '../../../platform/files/index.ts'
import { type Tier, tierNames } from '../release.ts'
import { editData, readData } from './edit-file.ts'

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
