import { prerelease } from 'semver'
import { isScalar } from 'yaml'
import { buildCatalogue } from '../catalogue.ts'
import { rolloutRange } from '../read/schemas.ts'
import { type Application, applications } from '../release.ts'
import { appendRecord, type Publication, type PublishOptions } from './append-record.ts'
import { type Change, editData, readData, withLock } from './edit-file.ts'
import { assertInput, InvalidInputError, PublishError } from './publish-error.ts'
import { assertSignature } from './source.ts'

export interface ReleaseOptions extends PublishOptions {
  readonly application: string
  readonly beta?: boolean | undefined
  readonly notes?: string | undefined
  /** Percentage of clients that are offered the release. */
  readonly rollout?: number | undefined
  /** The content of the .sig file that Tauri's bundler creates. */
  readonly signature?: string | undefined
}

interface ListedRelease {
  readonly version: string
  readonly beta?: boolean
  readonly withdrawn?: boolean
}

const isBeta = ({ version, beta = prerelease(version) !== null }: ListedRelease) => beta

export async function publishRelease(options: ReleaseOptions): Promise<Publication> {
  const { version, beta, rollout, notes, signature } = options
  const application = parseInputApplication(options.application)
  assertRollout(rollout)
  assertSignature(signature)
  const fields = { ...(isBeta({ version, ...(beta && { beta }) }) && { beta: true }), rollout, signature, notes }
  return appendRecord(options, {
    file: 'releases.yaml',
    list: application,
    fields,
    getRecords: (file) => file[application] ?? [],
    // A stable release may be older than a published beta. A beta must be newer than all others.
    selectOlder: (records) =>
      records.filter((other: ListedRelease) => !other.withdrawn && (fields.beta || !isBeta(other))),
  })
}

export const publishResources = (options: PublishOptions): Promise<Publication> =>
  appendRecord(options, {
    file: 'resources.yaml',
    list: 'resources',
    fields: {},
    getRecords: (file) => file.resources ?? [],
    selectOlder: (records) => records,
  })

interface ChangeOptions {
  readonly dir: string
  readonly application: string
  readonly version: string
  readonly dryRun?: boolean | undefined
}

export const withdrawRelease = (options: ChangeOptions): Promise<Change> =>
  changeRelease(options, 'withdrawn', true, 'is already withdrawn')

/** Changes the percentage of clients that are offered a release. */
export async function rollOutRelease({ rollout, ...options }: ChangeOptions & { rollout: number }): Promise<Change> {
  assertRollout(rollout)
  return changeRelease(options, 'rollout', rollout, `is already rolled out to ${rollout} %`)
}

async function changeRelease(options: ChangeOptions, field: string, value: boolean | number, unchangedRule: string) {
  const { dir, version, dryRun = false } = options
  const application = parseInputApplication(options.application)
  const change = () =>
    editData(
      dir,
      'releases.yaml',
      (document, file) => {
        const index = (file[application] ?? []).findIndex((release) => release.version === version)
        if (index === -1) throw new PublishError(`There is no release ${application} ${version}.`)
        const before = document.getIn([application, index, field])
        const isUnchanged = (isScalar(before) ? before.value : before) === value
        if (isUnchanged) throw new PublishError(`${application} ${version} ${unchangedRule}.`)
        document.setIn([application, index, field], value)
      },
      dryRun,
    )
  return dryRun ? change() : withLock(dir, change)
}

export type ReleaseState = 'public' | 'rolling out' | 'scheduled' | 'withdrawn'

/** Every release in the file, newest first, with its current state. */
export async function listReleases(dir: string, now = Date.now()) {
  const releases = await readData(dir, 'releases.yaml')
  const catalogue = buildCatalogue({ releases, resources: {}, tiers: {}, news: [] })
  return Object.values(catalogue.releases)
    .flat()
    .map(({ order, ...release }) => ({ ...release, state: getState(release, now) }))
}

function getState(release: { withdrawn: boolean; date: string; rollout: number }, now: number): ReleaseState {
  if (release.withdrawn) return 'withdrawn'
  if (Date.parse(release.date) > now) return 'scheduled'
  return release.rollout < 100 ? 'rolling out' : 'public'
}

function parseInputApplication(name: string): Application {
  const application = applications.find((candidate) => candidate === name)
  if (application) return application
  throw new InvalidInputError(`There is no application "${name}"; choose one of ${applications.join(', ')}.`)
}

function assertRollout(rollout = rolloutRange.maximum): void {
  const { minimum, maximum } = rolloutRange
  const isValid = Number.isInteger(rollout) && rollout >= minimum && rollout <= maximum
  assertInput(isValid, 'The rollout', `must be a whole number from ${minimum} to ${maximum}`)
}
