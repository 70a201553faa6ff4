// Rules that releases and resources share.

import { PublishError, UsageError } from '../../../errors/index.ts'
import type { EditOptions } from '../../../platform/files/index.ts'
import { rolloutRange } from '../read/fields.ts'
import type { AssetRecord } from '../read/schemas.ts'
import { describeDateError, parseDate } from '../release.ts'
import { compareVersions, parseVersion, type Version, versionRule } from '../version.ts'
import type { StagedSource } from './source.ts'

/** The rule completes "<subject> must …". */
export function assertRule(isMet: boolean, subject: string, rule: string, ErrorType = PublishError): asserts isMet {
  if (!isMet) throw new ErrorType(`${subject} ${rule}.`)
}

export function assertInput(isValid: boolean, subject: string, rule: string): asserts isValid {
  assertRule(isValid, subject, rule, UsageError)
}

export function parseInputDate(text: string): string {
  const date = parseDate(text)
  assertInput(date !== undefined, 'The time', describeDateError(text))
  return date
}

export function assertRollout(rollout = rolloutRange.maximum): void {
  const { minimum, maximum } = rolloutRange
  const isValid = Number.isInteger(rollout) && rollout >= minimum && rollout <= maximum
  assertInput(isValid, 'The rollout', `must be a whole number from ${minimum} to ${maximum}`)
}

export interface PublishOptions extends EditOptions {
  readonly dir: string
  readonly version: string
  /** The time of publication. Default: now. */
  readonly at?: string | undefined
  /** Allows a version that is older than the latest. */
  readonly force?: boolean | undefined
}

export function parseNewVersion(text: string): Version {
  const version = parseVersion(text)
  assertInput(version !== undefined, 'The version', versionRule)
  return version
}

/** The position of the version in the list, or -1. */
export function findVersion(
  records: readonly { readonly version: string }[],
  { key, text }: Version,
  list: string,
): number {
  const index = records.findIndex(({ version }) => parseVersion(version)?.key === key)
  const existing = records[index]?.version ?? text
  assertRule(existing === text, `${list} ${text}`, `is already published as ${existing}`)
  return index
}

export function assertNewest(
  records: readonly { readonly version: string }[],
  newVersion: Version,
  list: string,
): void {
  const newer = records.find(({ version }) => compareVersions(parseVersion(version)!, newVersion) > 0)
  assertRule(!newer, newVersion.text, `is older than ${list} ${newer?.version}; publish with force to allow it`)
}

export function assertLowerVersion(subject: string, text: string | undefined, newVersion: Version): void {
  if (text === undefined) return
  const version = parseVersion(text)
  assertInput(version !== undefined, subject, versionRule)
  assertInput(compareVersions(version, newVersion) <= 0, subject, `must not be above the version ${newVersion.text}`)
}

type FileRecord = Pick<AssetRecord, 'file'> & { readonly assets?: readonly Pick<AssetRecord, 'file'>[] }

export function assertFilesAreFree(records: readonly FileRecord[], staged: readonly StagedSource[]): void {
  const taken = new Set(records.flatMap((record) => [record, ...(record.assets ?? [])].map(({ file }) => file)))
  for (const { source } of staged) {
    const isFree = source.file === undefined || !taken.has(source.file)
    assertRule(isFree, `files/${source.file}`, 'belongs to another version')
  }
}
