// Changes published releases, and lists them.
import { buildCatalogue } from '../catalogue.ts'
import type { Application, Release } from '../release.ts'
import { parseVersion } from '../version.ts'
import { type Change, editData, readData } from './edit-file.ts'
import { assertRollout, assertRule, PublishError } from './publish-error.ts'

interface ChangeOptions {
  readonly dir: string
  readonly application: Application
  readonly version: string
  readonly dryRun?: boolean | undefined
}

export const withdrawRelease = (options: ChangeOptions) =>
  changeRelease(options, 'withdrawn', true, 'is already withdrawn')

export async function rollOutRelease({ rollout, ...options }: ChangeOptions & { rollout: number }) {
  assertRollout(rollout)
  return changeRelease(options, 'rollout', rollout, `is already rolled out to ${rollout} %`)
}

const changeRelease = (
  { dir, application, version, dryRun }: ChangeOptions,
  field: 'withdrawn' | 'rollout',
  value: boolean | number,
  unchangedRule: string,
): Promise<Change> =>
  editData(
    dir,
    'releases.yaml',
    (document, { [application]: releases = [] }) => {
      const key = parseVersion(version)?.key
      const index = releases.findIndex((release) => parseVersion(release.version)?.key === key)
      const release = releases[index]
      if (!release) throw new PublishError(`There is no release ${application} ${version}.`)
      assertRule(release[field] !== value, `${application} ${version}`, unchangedRule)
      document.setIn([application, index, field], value)
    },
    { dryRun },
  )

export type ReleaseState = 'public' | 'rolling out' | 'scheduled' | 'withdrawn'

/** Every release in the file, newest first, with its current state. */
export async function listReleases(dir: string) {
  const catalogue = buildCatalogue({ releases: await readData(dir, 'releases.yaml') })
  return Object.values(catalogue.releases)
    .flat()
    .map(({ order, minimum, ...release }) => ({ ...release, minimum: minimum?.text, state: getState(release) }))
}

function getState({ withdrawn, date, rollout }: Pick<Release, 'withdrawn' | 'date' | 'rollout'>): ReleaseState {
  if (withdrawn) return 'withdrawn'
  if (Date.parse(date) > Date.now()) return 'scheduled'
  return rollout < 100 ? 'rolling out' : 'public'
}
