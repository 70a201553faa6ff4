import { prerelease } from 'semver'
import { isScalar } from 'yaml'
import { type Application, applications } from '../applications.ts'
import { catalogueOf } from '../published.ts'
import { rolloutRange } from '../rules.ts'
import { appendRecord, type Publication, type PublishOptions } from './append.ts'
import { type Change, editData, readData } from './edit.ts'
import { withLock } from './lock.ts'
import { demandWords, PublishError, WrongWords } from './publish-error.ts'
import { demandSignature } from './signature.ts'

export interface ReleaseOptions extends PublishOptions {
  readonly application: string
  readonly beta?: boolean | undefined
  readonly notes?: string | undefined
  /** The percentage of clients that are offered it. */
  readonly rollout?: number | undefined
  /** The content of the .sig file that Tauri's bundler makes. */
  readonly signature?: string | undefined
}

interface Listed {
  readonly version: string
  readonly beta?: boolean
  readonly withdrawn?: boolean
}

const isBeta = ({ version, beta = prerelease(version) !== null }: Listed) => beta

export async function publishRelease(options: ReleaseOptions): Promise<Publication> {
  const { version, beta, rollout, notes, signature } = options
  const application = known(options.application)
  demandRollout(rollout)
  demandSignature(signature)
  const fields = { ...(isBeta({ version, ...(beta && { beta }) }) && { beta: true }), rollout, signature, notes }
  return appendRecord(options, {
    file: 'releases.yaml',
    list: application,
    fields,
    listed: (file) => file[application] ?? [],
    // A stable release may come while a beta of the next version is out; a beta has to be newer than both.
    rivals: (listed) => listed.filter((other: Listed) => !other.withdrawn && (fields.beta || !isBeta(other))),
  })
}

interface ChangeOptions {
  readonly dir: string
  readonly application: string
  readonly version: string
  readonly dryRun?: boolean | undefined
}

export const withdrawRelease = (options: ChangeOptions): Promise<Change> =>
  changeRelease(options, 'withdrawn', true, `${options.version} is withdrawn already`)

/** Offers a release to more (or fewer) of the clients. */
export async function rollOutRelease({ rollout, ...options }: ChangeOptions & { rollout: number }): Promise<Change> {
  demandRollout(rollout)
  return changeRelease(options, 'rollout', rollout, `${options.version} is rolled out to ${rollout} % already`)
}

async function changeRelease(options: ChangeOptions, field: string, value: boolean | number, already: string) {
  const { dir, version, dryRun = false } = options
  const application = known(options.application)
  const change = () =>
    editData(
      dir,
      'releases.yaml',
      (document, file) => {
        const index = (file[application] ?? []).findIndex((release) => release.version === version)
        if (index === -1) throw new PublishError(`There is no ${application} ${version} to change.`)
        const before = document.getIn([application, index, field])
        if ((isScalar(before) ? before.value : before) === value) throw new PublishError(`${application} ${already}.`)
        document.setIn([application, index, field], value)
      },
      dryRun,
    )
  return dryRun ? change() : withLock(dir, change)
}

export type ReleaseState = 'public' | 'rolling out' | 'scheduled' | 'withdrawn'

/** Every release in the file, newest first, and what it is at this moment. */
export async function listReleases(dir: string, now = Date.now()) {
  const releases = await readData(dir, 'releases.yaml')
  const catalogue = catalogueOf({ releases, resources: {}, tiers: {}, news: [] })
  return Object.values(catalogue.releases)
    .flat()
    .map(({ order, ...release }) => ({ ...release, state: stateOf(release, now) }))
}

function stateOf(release: { withdrawn: boolean; date: string; rollout: number }, now: number): ReleaseState {
  if (release.withdrawn) return 'withdrawn'
  if (Date.parse(release.date) > now) return 'scheduled'
  return release.rollout < 100 ? 'rolling out' : 'public'
}

function known(name: string): Application {
  const application = applications.find((candidate) => candidate === name)
  if (!application) throw new WrongWords(`There is no application "${name}"; choose one of ${applications.join(', ')}.`)
  return application
}

function demandRollout(rollout = rolloutRange.maximum): void {
  const { minimum, maximum } = rolloutRange
  const holds = Number.isInteger(rollout) && rollout >= minimum && rollout <= maximum
  demandWords(holds, 'The rollout', `must be a whole number from ${minimum} to ${maximum}`)
}
