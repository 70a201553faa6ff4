// Adds a record to a list of a YAML file together with its file, so that at no moment a record is without its file.
import { gt } from 'semver'
import type { Document } from 'yaml'
import type { DataFile } from '../read/data-files.ts'
import { isVersion, versionRule } from '../rules.ts'
import { dateGiven } from './date-given.ts'
import { type Change, editData, readData, type ValueOf } from './edit.ts'
import { withLock } from './lock.ts'
import { demand, demandWords } from './publish-error.ts'
import { type SourceOptions, stage } from './source.ts'

export interface PublishOptions extends SourceOptions {
  readonly dir: string
  readonly version: string
  /** When it becomes public; now where nothing is said. */
  readonly at?: string | undefined
  /** Allows a version that is older than the latest. */
  readonly force?: boolean | undefined
  /** Measures and checks, and changes nothing. */
  readonly dryRun?: boolean | undefined
}

interface Listed {
  readonly version: string
  readonly file?: string | undefined
}

interface Place<Name extends DataFile> {
  readonly file: Name
  /** The key of the list in the file. */
  readonly list: string
  readonly fields: object
  readonly listed: (value: ValueOf<Name>) => readonly Listed[]
  /** The records that the new one has to be newer than. */
  readonly rivals: (listed: readonly Listed[]) => readonly Listed[]
}

export interface Publication extends Change {
  readonly version: string
  readonly date: string
  readonly bytes: number
  readonly sha256: string
}

export async function appendRecord<Name extends DataFile>(
  options: PublishOptions,
  { file, list, fields, listed, rivals }: Place<Name>,
): Promise<Publication> {
  const { dir, version, at = new Date().toISOString(), force = false, dryRun = false } = options
  demandWords(isVersion(version), 'The version', versionRule)
  const date = dateGiven(at)

  const check = (value: ValueOf<Name>, fileName?: string) => {
    const all = listed(value)
    demand(!all.some((known) => known.version === version), `${list} ${version}`, 'is published already')
    const newer = rivals(all).find((known) => gt(known.version, version))
    const older = `is older than ${list} ${newer?.version}; publish it with force if you mean it`
    demand(!newer || force, version, older)
    demand(
      !fileName || !all.some((known) => known.file === fileName),
      `files/${fileName}`,
      'belongs to another version',
    )
  }
  // Before a large file is read; once more under the lock, when nobody else can publish.
  check(await readData(dir, file))
  const staged = await stage(dir, `${list}-${version}`, options, dryRun)
  try {
    const { bytes, sha256, sha512 } = staged.digest
    const record = {
      version,
      date,
      ...staged.source,
      bytes,
      sha256,
      ...(file === 'releases.yaml' && { sha512 }),
      ...fields,
    }
    const add = (document: Document, value: ValueOf<Name>) => {
      check(value, 'file' in staged.source ? staged.source.file : undefined)
      if (!document.has(list)) document.set(list, document.createNode([]))
      document.addIn([list], document.createNode(withoutUndefined(record)))
    }
    const write = async () => {
      // Refused edits must not have placed the file: the first one only looks.
      const change = await editData(dir, file, add, true)
      if (dryRun) return change
      await staged.place()
      return editData(dir, file, add)
    }
    const change = await (dryRun ? write() : withLock(dir, write))
    return { ...change, version, date, bytes, sha256 }
  } finally {
    if (!dryRun) await staged.discard()
  }
}

const withoutUndefined = (record: object) =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))
