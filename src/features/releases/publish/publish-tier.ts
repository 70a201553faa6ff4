import { type Tier, tierNames, tiers } from '../release.ts'
import { type Change, editData, readData, withLock } from './edit-file.ts'
import { InvalidInputError, PublishError } from './publish-error.ts'

export async function readTier(dir: string, tier: string) {
  const key = parseInputTier(tier)
  const { resources = {}, benefits = [] } = (await readData(dir, 'tiers.yaml'))[key] ?? {}
  return { tier: key, name: tierNames[key], resources, benefits }
}

export interface TierOptions {
  readonly dir: string
  readonly tier: string
  /** Versions by name. Null removes a resource; resources that are not named stay. */
  readonly resources?: Readonly<Record<string, string | null>> | undefined
  /** Replaces the whole list. */
  readonly benefits?: readonly string[] | undefined
  readonly dryRun?: boolean | undefined
}

export async function setTier({ dir, tier, resources = {}, benefits, dryRun }: TierOptions): Promise<Change> {
  const key = String(parseInputTier(tier))
  const change = () =>
    editData(
      dir,
      'tiers.yaml',
      (document) => {
        if (!document.has(key)) document.set(key, document.createNode({}))
        for (const [name, version] of Object.entries(resources)) {
          const path = [key, 'resources', name]
          if (version !== null) document.setIn(path, version)
          else if (document.hasIn(path)) document.deleteIn(path)
          else throw new PublishError(`Tier ${key} has no resource "${name}".`)
        }
        if (benefits) document.setIn([key, 'benefits'], document.createNode(benefits))
      },
      dryRun,
    )
  return dryRun ? change() : withLock(dir, change)
}

function parseInputTier(tier: string): Tier {
  if (!tiers.includes(tier))
    throw new InvalidInputError(`There is no tier "${tier}"; choose one of ${tiers.join(', ')}.`)
  return Number(tier) as Tier
}
