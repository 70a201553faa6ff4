import { buildCatalogue, isBeta } from '../catalogue.ts'
import { type ReleaseRecord, rolloutRange } from '../read/schemas.ts'
import type { Application, Release } from '../release.ts'
import { compareVersions, parseVersion, versionRule } from '../version.ts'
import { type Change, editData, readData } from './edit-file.ts'
import { assertInput, assertRule, PublishError, parseInputDate } from './publish-error.ts'
import { type SourceOptions, stageSource } from './source.ts'

interface PublishOptions extends SourceOptions {
  readonly dir: string
  readonly version: string
  /** The time of publication. Default: now. */
  readonly at?: string | undefined
  /** Allows a version that is older than the latest. */
  readonly force?: boolean | undefined
  /** Checks everything and changes nothing. */
  readonly dryRun?: boolean | undefined
}

export interface ReleaseOptions extends PublishOptions {
  readonly application: Application
  readonly beta?: boolean | undefined
  readonly notes?: string | undefined
  readonly rollout?: number | undefined
  readonly signature?: string | undefined
}

export async function publishRelease(options: ReleaseOptions) {
  const { application, version, rollout, notes, signature } = options
  const beta = options.beta || isBeta({ version })
  assertRollout(rollout)
  assertSignature(signature)
  return appendRecord(options, {
    file: 'releases.yaml',
    list: application,
    fields: { beta: beta || undefined, rollout, signature, notes },
    // A stable release may be older than a published beta. A beta must be newer than all others.
    mustBeOlder: (other) => !other.withdrawn && (beta || !isBeta(other)),
  })
}

export const publishResources = (options: PublishOptions) =>
  appendRecord(options, { file: 'resources.yaml', list: 'resources', mustBeOlder: () => true })

type ListedRecord = Pick<ReleaseRecord, 'version' | 'file' | 'beta' | 'withdrawn'>

interface RecordTarget {
  readonly file: 'releases.yaml' | 'resources.yaml'
  /** The key of the list in the file. */
  readonly list: string
  readonly fields?: object
  /** Whether the new version must be newer than this record. */
  mustBeOlder(record: ListedRecord): boolean
}

/** Adds a record to a list of a YAML file. A record is never visible without its file. */
async function appendRecord(options: PublishOptions, { file, list, fields, mustBeOlder }: RecordTarget) {
  const { dir, version, at = new Date().toISOString(), force = false, dryRun = false } = options
  const order = parseVersion(version)
  assertInput(order !== undefined, 'The version', versionRule)
  const compareWith = (record: ListedRecord) => compareVersions(parseVersion(record.version)!, order)
  const date = parseInputDate(at)

  const check = (data: Readonly<Record<string, readonly ListedRecord[]>>, fileName?: string) => {
    const records = data[list] ?? []
    const equal = records.find((record) => compareWith(record) === 0)
    const asText = equal && equal.version !== version ? ` as ${equal.version}` : ''
    assertRule(!equal, `${list} ${version}`, `is already published${asText}`)
    const newer = records.find((record) => mustBeOlder(record) && compareWith(record) > 0)
    const orderRule = `is older than ${list} ${newer?.version}; publish with force to allow it`
    assertRule(!newer || force, version, orderRule)
    const isNameTaken = fileName !== undefined && records.some((record) => record.file === fileName)
    assertRule(!isNameTaken, `files/${fileName}`, 'belongs to another version')
  }
  // First before a large file is read, then again under the lock.
  check(await readData(dir, file))
  const { source, digest, commit, discard } = await stageSource(dir, `${list}-${version}`, options, dryRun)
  try {
    const { bytes, sha256, sha512 } = digest
    const record = { version, date, ...source, bytes, sha256, ...(file === 'releases.yaml' && { sha512 }), ...fields }
    const change = await editData(
      dir,
      file,
      (document, data) => {
        check(data, 'file' in source ? source.file : undefined)
        if (!document.has(list)) document.set(list, document.createNode([]))
        document.addIn([list], document.createNode(record))
      },
      { dryRun, beforeWrite: commit },
    )
    return { ...change, version, date, bytes, sha256 }
  } finally {
    if (!dryRun) await discard()
  }
}

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

function assertRollout(rollout = rolloutRange.maximum): void {
  const { minimum, maximum } = rolloutRange
  const isValid = Number.isInteger(rollout) && rollout >= minimum && rollout <= maximum
  assertInput(isValid, 'The rollout', `must be a whole number from ${minimum} to ${maximum}`)
}

/**
 * Tauri's bundler writes a minisign signature in Base64, and its updater accepts no other form. Only the form is
 * checked: the updater has the key and verifies the signature.
 */
function assertSignature(text: string | undefined): void {
  if (text === undefined) return
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(text)
  const isMinisign = isBase64 && Buffer.from(text, 'base64').toString().startsWith('untrusted comment:')
  assertRule(isMinisign, 'The signature', 'must be the content of a .sig file that Tauri’s bundler wrote')
}
