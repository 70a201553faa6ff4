// Rules of releases.yaml and resources.yaml that a schema cannot express.
import type { RuleError } from '../../../platform/yaml/index.ts'
import { isPartial } from '../asset.ts'
import { listAssets } from '../catalogue.ts'
import { compareVersions, parseVersion } from '../version.ts'
import type { ReleaseRecord, ReleasesFile } from './schemas.ts'

type Lists = Readonly<Record<string, readonly { readonly version: string }[]>>

/** 1.2 and 1.2.0 are the same version. */
export const findRepeatedVersions = (lists: Lists): RuleError[] =>
  Object.entries(lists).flatMap(([list, records]) => {
    const versions = new Map<string, string>()
    return records.flatMap(({ version }, index) => {
      const key = parseVersion(version)!.key
      const other = versions.get(key)
      versions.set(key, version)
      if (other === undefined) return []
      const message =
        other === version
          ? `${list} contains ${version} twice`
          : `${list} contains ${other} and ${version}, which are equal`
      return [{ path: [list, index, 'version'], rule: 'version-once', message }]
    })
  })

export const findReleaseErrors = (file: ReleasesFile): RuleError[] => [
  ...findRepeatedVersions(file),
  ...Object.entries(file).flatMap(([list, records]) =>
    records.flatMap((record, index) =>
      findRecordErrors(record).map(({ path, ...error }) => ({ ...error, path: [list, index, ...path] })),
    ),
  ),
]

const SINGLE_FILE_FIELDS = ['bytes', 'sha256', 'sha512', 'signature'] as const

function findRecordErrors(record: ReleaseRecord): RuleError[] {
  const { version, assets, rollout, ramp } = record
  const missing = assets ? undefined : (['bytes', 'sha256'] as const).find((field) => record[field] === undefined)
  if (missing) return [{ path: [], rule: 'required', message: `Version ${version} must have "${missing}"` }]
  const extra = assets && SINGLE_FILE_FIELDS.find((field) => record[field] !== undefined)
  const message = `Version ${version} has "assets", so "${extra}" belongs into one of them`
  if (extra) return [{ path: [extra], rule: 'unknown-field', message }]
  const errors = assets ? findRepeatedAssets(record) : []
  for (const field of ['minimum', 'autoUpdateFrom'] as const) {
    const lower = parseVersion(record[field] ?? '')
    if (!lower || compareVersions(lower, parseVersion(version)!) <= 0) continue
    errors.push({ path: [field], rule: field, message: `"${field}" ${lower.text} is above version ${version}` })
  }
  if (rollout !== undefined && ramp) {
    errors.push({
      path: ['rollout'],
      rule: 'rollout',
      message: `Version ${version} has "ramp", so it must not have "rollout"`,
    })
  }
  return errors
}

/** Two files with one name could not be told apart; of two with the same purpose only one would ever be offered. */
function findRepeatedAssets(record: ReleaseRecord): RuleError[] {
  const [names, purposes] = [new Set<string>(), new Set<string>()]
  return listAssets(record).flatMap((asset, index) => {
    const { name, platform, arch, kind } = asset
    const purpose = `${platform}, ${arch}, ${kind}`
    const rule = names.has(name) ? `name "${name}"` : !isPartial(asset) && purposes.has(purpose) ? purpose : undefined
    names.add(name)
    purposes.add(purpose)
    if (rule === undefined) return []
    const message = `Version ${record.version} has two assets of the same ${rule === purpose ? 'platform, arch and kind' : 'name'} (${rule})`
    return [{ path: ['assets', index], rule: 'asset-once', message }]
  })
}
