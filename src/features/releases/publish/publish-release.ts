import { isDeepStrictEqual } from 'node:util'
import { isBeta, listAssets } from '../catalogue.ts'
import { DEFAULT_LANGUAGE, parseTranslationName } from '../languages.ts'
import type { Ramp } from '../ramp.ts'
import { fileFieldNames } from '../read/rules.ts'
import type { Notes, ReleaseRecord } from '../read/schemas.ts'
import { type Application, parseDate } from '../release.ts'
import { isPackage } from '../update-formats/velopack.ts'
import type { AssetPlan, AssetSource } from './asset-source.ts'
import { chooseNames, describeTraits, isSameAsset, planAssets, readBlockMapSize, splitPlans } from './asset-source.ts'
import { assertRamp, type RampOptions } from './change-ramp.ts'
import {
  assertFilesAreFree,
  assertInput,
  assertLowerVersion,
  assertNewest,
  assertRollout,
  assertRule,
  editData,
  findVersion,
  type PublishOptions,
  parseInputDate,
  parseNewVersion,
  readData,
} from './edit-file.ts'
import { type StagedSource, stageSource } from './source.ts'

export interface ReleaseOptions extends PublishOptions {
  readonly application: Application
  readonly assets: readonly AssetSource[]
  readonly beta?: boolean | undefined
  readonly notes?: Notes | undefined
  readonly rollout?: number | undefined
  /** Instead of `rollout`. It starts at the time of publication, but not before now. */
  readonly ramp?: RampOptions | undefined
  readonly minimum?: string | undefined
  /** Older versions ask the user before the update; only for Sparkle. */
  readonly autoUpdateFrom?: string | undefined
  /** Replaces published files of the same platform, arch and kind. */
  readonly replace?: boolean | undefined
}

/** Publishes a version, or adds files to a published one. A record is never visible without its files. */
export async function publishRelease(options: ReleaseOptions) {
  const { dir, application, version, rollout, ramp, minimum, autoUpdateFrom, notes } = options
  const { replace = false, dryRun = false } = options
  const parsedVersion = parseNewVersion(version)
  const subject = `${application} ${version}`
  assertRollout(rollout)
  if (ramp) assertRamp(ramp)
  assertLowerVersion('The minimum', minimum, parsedVersion)
  assertLowerVersion('The lowest version that updates automatically', autoUpdateFrom, parsedVersion)
  const date = options.at === undefined ? undefined : parseInputDate(options.at)
  const beta = options.beta || isBeta({ version })
  const allPlans = planAssets(application, parsedVersion, options.assets)
  let plans = allPlans
  let repaired: AssetPlan[] = []

  /** Finds the version and, for each plan, the position of the asset that it replaces. */
  const check = (releases: readonly ReleaseRecord[], checked = plans) => {
    const index = findVersion(releases, parsedVersion, application)
    const existing = releases[index]
    if (!existing) {
      // A stable release may be older than a published beta. A beta must be newer than all others.
      const others = releases.filter((other) => !other.withdrawn && (beta || !isBeta(other)))
      if (!options.force) assertNewest(others, parsedVersion, application)
      return { index, existing, replaced: [] }
    }
    assertRule(!existing.withdrawn, subject, 'is withdrawn')
    const isSameRamp = !ramp || isDeepStrictEqual({ ...ramp }, withoutProgress(existing.ramp))
    assertRule(isSameRamp, subject, 'is already published; "release ramp" starts its ramp')
    assertUnchanged(subject, existing, {
      date,
      notes,
      rollout,
      minimum,
      autoUpdateFrom,
      beta: options.beta || undefined,
    })
    return { index, existing, replaced: checked.map((plan) => findReplaced(subject, existing, plan, replace)) }
  }
  // First before large files are read, then again under the lock.
  const releases = (await readData(dir, 'releases.yaml'))[application] ?? []
  const current = releases[findVersion(releases, parsedVersion, application)]
  if (current) {
    check(releases, [])
    ;({ added: plans, repaired } = await splitPlans(dir, current, allPlans))
  }
  const { replaced } = check(releases)
  const named = await chooseNames(
    dir,
    plans,
    replaced.some((index) => index !== undefined),
  )

  const staged: StagedSource[] = []
  try {
    for (const { name, source } of [...named, ...repaired]) staged.push(await stageSource(dir, name, source, dryRun))
    const records = await Promise.all(
      named.map(async (plan, index) => {
        const { source, digest } = staged[index]!
        const sha1 = isPackage(plan) ? digest.sha1 : undefined
        const blockMapSize = await readBlockMapSize(plan)
        return { ...plan.traits, ...source, ...digest, sha1, blockMapSize, signature: plan.source.signature }
      }),
    )
    const now = new Date().toISOString()
    const publicFrom = date ?? now
    // With an earlier date, the ramp would skip the steps until now.
    const startedRamp = ramp && { ...ramp, start: publicFrom < now ? now : undefined }
    let published: string | undefined
    const change = await editData(
      dir,
      'releases.yaml',
      (document, data) => {
        const { index, existing, replaced } = check(data[application] ?? [])
        assertFilesAreFree(Object.values(data).flat(), staged.slice(0, named.length))
        published = existing && parseDate(existing.date)!
        if (!existing) {
          assertRule(plans === allPlans, subject, 'was changed at the same time; publish it again')
          const fields = { beta: beta || undefined, rollout, ramp: startedRamp, minimum, autoUpdateFrom, notes }
          if (!document.has(application)) document.set(application, document.createNode([]))
          document.addIn([application], document.createNode({ version, date: publicFrom, ...fields, assets: records }))
          return
        }
        if (records.length === 0) return
        const path = [application, index, 'assets']
        if (!existing.assets) {
          document.setIn(path, document.createNode([pickFileFields(existing)]))
          for (const field of fileFieldNames) document.deleteIn([application, index, field])
        }
        for (const [position, record] of records.entries()) {
          const former = replaced[position]
          if (former === undefined) document.addIn(path, document.createNode(record))
          else document.setIn([...path, former], document.createNode({ ...record, date: now }))
        }
      },
      { ...options, moved: staged.flatMap(({ moved }) => moved) },
    )
    return {
      ...change,
      version,
      date: published ?? publicFrom,
      assets: records.map((record, index) => ({ name: named[index]!.name, ...record })),
      repaired: repaired.map(({ name }) => name),
    }
  } finally {
    if (!dryRun) for (const { discard } of staged) await discard()
  }
}

/** The notes in one file, or in one file for each language: notes.md and notes.de.md. The first one is the original. */
export function joinNotes(files: readonly { readonly file: string; readonly text: string }[]): Notes | undefined {
  if (files.length <= 1) return files[0]?.text
  const texts = new Map(files.map(({ file, text }) => [parseTranslationName(file).lang ?? DEFAULT_LANGUAGE, text]))
  const rule = `must be in different languages by their names, such as notes.md (${DEFAULT_LANGUAGE}) and notes.de.md`
  assertInput(texts.size === files.length, 'The notes', rule)
  return Object.fromEntries(texts)
}

/** Files can be added to a release; its other fields have commands of their own. */
function assertUnchanged(subject: string, existing: ReleaseRecord, fields: Partial<ReleaseRecord>): void {
  const current: Partial<ReleaseRecord> = { ...existing, date: parseDate(existing.date)!, beta: isBeta(existing) }
  const changed = Object.entries(fields).find(
    ([name, value]) => value !== undefined && !isDeepStrictEqual(value, current[name as keyof ReleaseRecord]),
  )
  const { what, command } = changeableFields[changed?.[0] ?? ''] ?? {}
  const hint = command === undefined ? '' : `, or change it with "${command}"`
  const rule = `is already published with ${what} than this request has; it may have been changed since. Leave it out to add files${hint}`
  assertRule(!changed, subject, rule)
}

const changeableFields: Readonly<Record<string, { readonly what: string; readonly command?: string }>> = {
  date: { what: 'another time of publication' },
  notes: { what: 'other notes', command: 'release notes' },
  rollout: { what: 'another rollout', command: 'release rollout' },
  minimum: { what: 'another minimum', command: 'release minimum' },
  autoUpdateFrom: { what: 'another lowest version that updates automatically' },
  beta: { what: 'another channel' },
}

const withoutProgress = ({ start: _, pausedAt: __, failures: ___, ...ramp }: Partial<Ramp> = {}) => ramp

/** The index of the published asset that the new one replaces. */
function findReplaced(subject: string, existing: ReleaseRecord, plan: AssetPlan, replace: boolean): number | undefined {
  const assets = listAssets(existing)
  const index = assets.findIndex((asset) => isSameAsset({ name: asset.name, traits: asset }, plan))
  if (index === -1) return undefined
  const rule = `is already published for ${describeTraits(plan.traits)}; publish with replace to replace the file`
  assertRule(replace, subject, rule)
  return index
}

const pickFileFields = (record: ReleaseRecord) =>
  Object.fromEntries(fileFieldNames.flatMap((field) => (record[field] === undefined ? [] : [[field, record[field]]])))
