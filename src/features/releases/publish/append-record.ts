// Adds a record to a list of a YAML file. A record is never visible without its file.
import { gt } from 'semver'
import type { Document } from 'yaml'
import { type DataFile, type DataOf, isVersion, versionRule } from '../read/schemas.ts'
import { describeDateError, parseDate } from '../release.ts'
import { type Change, editData, readData, withLock } from './edit-file.ts'
import { assertInput, assertRule, InvalidInputError } from './publish-error.ts'
import { type SourceOptions, stageSource } from './source.ts'

export interface PublishOptions extends SourceOptions {
  readonly dir: string
  readonly version: string
  /** The time of publication. Default: now. */
  readonly at?: string | undefined
  /** Allows a version that is older than the latest. */
  readonly force?: boolean | undefined
  /** Checks everything and changes nothing. */
  readonly dryRun?: boolean | undefined
}

interface ListedRecord {
  readonly version: string
  readonly file?: string | undefined
}

interface RecordTarget<Name extends DataFile> {
  readonly file: Name
  /** The key of the list in the file. */
  readonly list: string
  readonly fields: object
  getRecords(data: DataOf<Name>): readonly ListedRecord[]
  /** The records that must be older than the new one. */
  selectOlder(records: readonly ListedRecord[]): readonly ListedRecord[]
}

export interface Publication extends Change {
  readonly version: string
  readonly date: string
  readonly bytes: number
  readonly sha256: string
}

export async function appendRecord<Name extends DataFile>(
  options: PublishOptions,
  { file, list, fields, getRecords, selectOlder }: RecordTarget<Name>,
): Promise<Publication> {
  const { dir, version, at = new Date().toISOString(), force = false, dryRun = false } = options
  assertInput(isVersion(version), 'The version', versionRule)
  const date = parseInputDate(at)

  const check = (data: DataOf<Name>, fileName?: string) => {
    const records = getRecords(data)
    assertRule(!records.some((record) => record.version === version), `${list} ${version}`, 'is already published')
    const newer = selectOlder(records).find((record) => gt(record.version, version))
    const orderRule = `is older than ${list} ${newer?.version}; publish with force to allow it`
    assertRule(!newer || force, version, orderRule)
    const isNameTaken = fileName !== undefined && records.some((record) => record.file === fileName)
    assertRule(!isNameTaken, `files/${fileName}`, 'belongs to another version')
  }
  // First before a large file is read, then again under the lock.
  check(await readData(dir, file))
  const staged = await stageSource(dir, `${list}-${version}`, options, dryRun)
  try {
    const { sha512, ...digest } = staged.digest
    const record = {
      version,
      date,
      ...staged.source,
      ...digest,
      ...(file === 'releases.yaml' && { sha512 }),
      ...fields,
    }
    const add = (document: Document, data: DataOf<Name>) => {
      check(data, 'file' in staged.source ? staged.source.file : undefined)
      if (!document.has(list)) document.set(list, document.createNode([]))
      document.addIn([list], document.createNode(withoutUndefined(record)))
    }
    const write = async () => {
      // The dry run comes first, so that a refused edit does not leave a file behind.
      const change = await editData(dir, file, add, true)
      if (dryRun) return change
      await staged.commit()
      return editData(dir, file, add)
    }
    const change = await (dryRun ? write() : withLock(dir, write))
    return { ...change, version, date, ...digest }
  } finally {
    if (!dryRun) await staged.discard()
  }
}

const withoutUndefined = (record: object) =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))

export function parseInputDate(text: string): string {
  const date = parseDate(text)
  if (!date) throw new InvalidInputError(`The time ${describeDateError(text)}.`)
  return date
}
