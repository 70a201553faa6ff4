// Changes published releases and resources, and lists them.
import { UnknownEntryError } from '../../../errors/index.ts'
import type { Change, EditOptions } from '../../../platform/files/index.ts'
import { buildCatalogue, isBeta } from '../catalogue.ts'
import { DEFAULT_LANGUAGE, parseLanguage } from '../languages.ts'
import { findFallback } from '../offers.ts'
import { describeRamp, getRollout } from '../ramp.ts'
import { languageRule } from '../read/rules.ts'
import type { Notes, ReleaseRecord } from '../read/schemas.ts'
import type { Application, Release } from '../release.ts'
import { compareVersions, isSameVersion, parseVersion, versionRule } from '../version.ts'
import { assertInput, assertRollout, assertRule, editData, readData } from './edit-file.ts'

interface ChangeOptions extends EditOptions {
  readonly dir: string
  /** Undefined: resources of the launcher. */
  readonly application?: Application
  readonly version: string
}

export type ReleaseChangeOptions = ChangeOptions & { readonly application: Application }

export interface Target {
  /** Names the record in messages. */
  readonly subject: string
  readonly record: ReleaseRecord
  /** All records of the list. */
  readonly records: readonly ReleaseRecord[]
  /** Undefined removes the field. */
  set(path: readonly string[], value: unknown): void
  append(record: object): void
  remove(): void
}

/** Edits one record of a list. Nothing is written if `edit` throws. */
export async function changeRecord<T extends object>(
  { dir, application, version, ...options }: ChangeOptions,
  edit: (target: Target) => T | undefined,
): Promise<Change & T> {
  const list = application ?? 'resources'
  let result: T | undefined
  const change = await editData(
    dir,
    application ? 'releases.yaml' : 'resources.yaml',
    (document, data) => {
      const records = (data as Record<string, readonly ReleaseRecord[]>)[list] ?? []
      const index = records.findIndex((record) => isSameVersion(record.version, version))
      const record = records[index]
      const what = application ? `is no release ${application}` : 'are no resources'
      if (!record) throw new UnknownEntryError(`There ${what} ${version}.`)
      const set: Target['set'] = (path, value) => {
        if (value === undefined) document.deleteIn([list, index, ...path])
        else document.setIn([list, index, ...path], document.createNode(value))
      }
      const append = (added: object) => document.addIn([list], document.createNode(added))
      const remove = () => document.deleteIn([list, index])
      result = edit({ subject: `${list} ${record.version}`, record, records, set, append, remove })
    },
    options,
  )
  return { ...change, ...result! }
}

export const now = () => new Date().toISOString()
export const isRunning = ({ ramp }: ReleaseRecord) => ramp !== undefined && ramp.pausedAt === undefined

export const withdrawVersion = (options: ChangeOptions) =>
  changeRecord(options, ({ subject, record, set }) => {
    assertRule(!record.withdrawn, subject, 'is already withdrawn')
    set(['withdrawn'], true)
    // Otherwise it would advance meanwhile, and the restored release would be offered to many at once.
    if (isRunning(record)) set(['ramp', 'pausedAt'], now())
  })

export const restoreVersion = (options: ChangeOptions) =>
  changeRecord(options, ({ subject, record, set }) => {
    assertRule(record.withdrawn === true, subject, 'is not withdrawn')
    set(['withdrawn'], undefined)
    return { isRampPaused: record.ramp?.pausedAt !== undefined }
  })

/** Its version can be used again. */
export const removeResources = (options: Omit<ChangeOptions, 'application'>) =>
  changeRecord(options, ({ remove }) => {
    remove()
  })

export const assertPublic = ({ subject, record }: Target) =>
  assertRule(!record.withdrawn, subject, 'is withdrawn; restore it first')

/** Ends a ramp: the operator decides from now on. */
export async function rollOutRelease({ rollout, ...options }: ReleaseChangeOptions & { rollout: number }) {
  assertRollout(rollout)
  return changeRecord(options, (target) => {
    const { record, set } = target
    assertPublic(target)
    set(['ramp'], undefined)
    set(['rollout'], rollout)
    return { isRampEnded: record.ramp !== undefined }
  })
}

interface NotesOptions extends ReleaseChangeOptions {
  /** A text replaces one language, a map all of them. Undefined removes all. */
  readonly notes?: Notes | undefined
  /** The language of the text. Default: that of the original. */
  readonly lang?: string | undefined
}

export async function setNotes({ notes, lang, ...options }: NotesOptions) {
  const language = lang === undefined ? undefined : parseLanguage(lang)
  assertInput(lang === undefined || language !== undefined, 'The language', languageRule)
  assertInput(lang === undefined || typeof notes === 'string', 'Notes in one language', 'must be a text')
  return changeRecord(options, ({ record, set }) => {
    const { notes: current } = record
    if (typeof notes !== 'string' || (language === undefined && typeof current !== 'object')) set(['notes'], notes)
    else {
      const texts = typeof current === 'object' ? current : current ? { [DEFAULT_LANGUAGE]: current } : {}
      // The file may have another spelling of the tag, such as "pt-br".
      const isSame = (tag: string) => language === undefined || parseLanguage(tag) === language
      set(['notes'], { ...texts, [Object.keys(texts).find(isSame) ?? language!]: notes })
    }
  })
}

/** Undefined: the update is not mandatory any more. */
export async function setMinimum({ minimum, ...options }: ReleaseChangeOptions & { minimum?: string | undefined }) {
  assertInput(minimum === undefined || parseVersion(minimum) !== undefined, 'The minimum', versionRule)
  return changeRecord(options, ({ set }) => {
    set(['minimum'], minimum)
  })
}

interface SupersedeOptions extends ReleaseChangeOptions {
  readonly newVersion: string
  readonly notes?: string | undefined
}

/** Replaces a withdrawn release: publishes the files of the release before it under a higher version. */
export async function supersedeRelease({ newVersion, notes, ...options }: SupersedeOptions) {
  const { application } = options
  const parsedVersion = parseVersion(newVersion)
  assertInput(parsedVersion !== undefined, 'The new version', versionRule)
  return changeRecord(options, ({ subject, record, records, append }) => {
    assertRule(record.withdrawn === true, subject, 'is not withdrawn; withdraw it first')
    const releases = buildCatalogue({ releases: { [application]: [...records] } }).releases[application]
    const withdrawn = releases.find(({ version }) => version === record.version)!
    const others = releases.filter(
      (other) => other === withdrawn || ((withdrawn.beta || !other.beta) && Date.parse(other.date) <= Date.now()),
    )
    const newer = others.find(
      (other) => !other.withdrawn && compareVersions(other.parsedVersion, withdrawn.parsedVersion) > 0,
    )
    assertRule(!newer, subject, `needs no replacement: ${newer?.version} is newer`)
    const highest = others[0]!
    const isHighest = compareVersions(parsedVersion, highest.parsedVersion) > 0
    assertRule(isHighest, `The new version ${newVersion}`, `must be above ${highest.version}`)
    const fallback = findFallback(releases, withdrawn, Date.now())
    assertRule(fallback !== undefined, subject, 'has no older public release whose files could replace it')
    const source = records.find(({ version }) => version === fallback.version)!
    const { version, date, beta, rollout, ramp, ...files } = source
    // The channel of the withdrawn release, also if the new version looks like a beta.
    const channel = isBeta({ version: newVersion }) === withdrawn.beta ? {} : { beta: withdrawn.beta }
    append({
      ...{ version: newVersion, date: now(), ...channel, ...files },
      ...(notes !== undefined && { notes }),
    })
    return { version: newVersion, source: version }
  })
}

type ReleaseState = 'public' | 'rolling out' | 'paused' | 'scheduled' | 'withdrawn'

/** Every release in the file, newest first, with its current state. */
export async function listReleases(dir: string) {
  const catalogue = buildCatalogue({ releases: await readData(dir, 'releases.yaml') })
  return Object.values(catalogue.releases)
    .flat()
    .map(({ parsedVersion, minimum, autoUpdateFrom, ...release }) => {
      const current = { ...release, rollout: getRollout(release, Date.now()) }
      return {
        ...current,
        minimum: minimum?.text,
        autoUpdateFrom: autoUpdateFrom?.text,
        state: getState(current),
        ramp: release.ramp && { ...release.ramp, ...describeRamp(release, Date.now())! },
      }
    })
}

/** All resources in the file, newest first. */
export async function listResources(dir: string) {
  const { resources } = buildCatalogue({ resources: await readData(dir, 'resources.yaml') })
  return resources.map(({ parsedVersion, ...entry }) => ({ ...entry, state: getState({ ...entry, rollout: 100 }) }))
}

function getState(release: Pick<Release, 'withdrawn' | 'date' | 'rollout' | 'ramp'>): ReleaseState {
  if (release.withdrawn) return 'withdrawn'
  if (Date.parse(release.date) > Date.now()) return 'scheduled'
  if (release.rollout === 100) return 'public'
  return release.ramp?.pausedAt === undefined ? 'rolling out' : 'paused'
}
