// Edits the files of the product. Comments and order are preserved.
import { isDeepStrictEqual } from 'node:util'
import { type Document, isScalar, visit } from 'yaml'
import { PublishError, UsageError } from '../../../errors/index.ts'
import type {
  Change,
  EditedFiles,
  EditOptions,
  FileContent,
  FileEdit,
  MovedFile,
} from '../../../platform/files/index.ts'
import { acceptEntries, editFolder, readOptionalFile } from '../../../platform/files/index.ts'
import { type ParseResult, parseYaml } from '../../../platform/yaml/index.ts'
import { parseNews } from '../read/parse-news.ts'
import { listNewsFiles, MAX_DATA_BYTES, MAX_NEWS_BYTES, NEWS_DIR } from '../read/read-files.ts'
import { rolloutRange } from '../read/rules.ts'
import { type AssetRecord, countEntries, type DataFile, type DataOf, dataFiles, isDataFile } from '../read/schemas.ts'
import { describeDateError, parseDate } from '../release.ts'
import { compareVersions, parseVersion, type Version, versionRule } from '../version.ts'
import type { StagedSource } from './source.ts'

export async function readData<Name extends DataFile>(dir: string, name: Name): Promise<DataOf<Name>> {
  const parsed = dataFiles[name](String((await readOptionalFile(dir, name)) ?? ''))
  return assertParsed(name, parsed as ParseResult<DataOf<Name>>)
}

/** Edits files of the product. A file that the service would refuse is never written. */
export const editFiles = <T extends object>(
  dir: string,
  options: EditOptions,
  work: (files: EditedFiles, parse: Parse) => Promise<T | undefined>,
): Promise<Change & T> => {
  const parse = createParser()
  const rules = {
    check: (edits: readonly FileEdit[]) => {
      for (const { file, after } of edits) if (after !== null) assertValid(file, String(after), parse)
    },
    prepare: (edits: readonly FileEdit[]) => acceptShrinking(dir, edits, parse),
  }
  return editFolder(dir, options, rules, (files) => work(files, parse))
}

type Parse = ReturnType<typeof createParser>

/** Parses each text once: a megabyte of YAML takes most of a second. */
function createParser() {
  const parsed = new Map<string, ParseResult<DataOf<DataFile>>>()
  return <Name extends DataFile>(file: Name, text: string): ParseResult<DataOf<Name>> => {
    const key = `${file}\n${text}`
    if (!parsed.has(key)) parsed.set(key, dataFiles[file](text))
    return parsed.get(key) as ParseResult<DataOf<Name>>
  }
}

function assertValid(file: string, text: string, parse: Parse): void {
  const isData = isDataFile(file)
  const { problems } = isData ? parse(file, text) : parseNews(file, text)
  if (problems[0]) throw new PublishError(`${problems[0].message}.`)
  const maxBytes = isData ? MAX_DATA_BYTES : MAX_NEWS_BYTES
  const sizeRule = `must not be larger than ${maxBytes} bytes; ${isData ? 'remove old entries' : 'shorten it'}`
  assertRule(Buffer.byteLength(text) <= maxBytes, file, sizeRule)
}

/** What the service reads, except files of releases. */
export const isReleaseFile = (file: string) => isDataFile(file) || /^news\/[^/]+\.md$/.test(file)

/** The operator removes entries on purpose: the service must not take it for a fault. */
export async function acceptShrinking(dir: string, edits: readonly FileEdit[], parse: Parse = createParser()) {
  const accepted: Record<string, number> = {}
  let addedNews = 0
  for (const { file, before, after } of edits) {
    if (isDataFile(file)) {
      const count = (text: FileContent) => countEntries(parse(file, String(text ?? '')).value ?? {})
      if (count(after) < count(before)) accepted[file] = count(after)
    } else {
      addedNews += Number(before === null) - Number(after === null)
    }
  }
  if (addedNews < 0) accepted[NEWS_DIR] = (await listNewsFiles(dir)).length + addedNews
  if (Object.keys(accepted).length > 0) await acceptEntries(dir, accepted)
}

interface DataEditOptions extends EditOptions {
  /** Files that come with the edit. */
  readonly moved?: readonly MovedFile[]
}

export const editData = <Name extends DataFile>(
  dir: string,
  name: Name,
  edit: (document: Document, data: DataOf<Name>) => void,
  { moved = [], ...options }: DataEditOptions,
): Promise<Change> =>
  editFiles(dir, options, async ({ read, write, ...files }, parse) => {
    const before = await read(name)
    const document = parseYaml(before ?? '')
    const data = assertParsed(name, parse(name, before ?? ''))
    edit(document, data)
    for (const file of moved) files.move(file)
    unquoteNumbers(document)
    const after = document.toString({ lineWidth: 0 })
    // An edit without effect leaves the file as it is, even if its text would be formatted in another way.
    const isChanged = !isDeepStrictEqual(parse(name, after).value, data)
    await write(name, isChanged ? after : before)
  })

/** A key that the operator wrote without quotes, such as that of tier 2, keeps its form. */
const unquoteNumbers = (document: Document) =>
  visit(document, {
    Pair: (_, { key }) => {
      if (isScalar(key) && key.type === 'PLAIN' && /^[1-9]\d{0,14}$/.test(String(key.value)))
        key.value = Number(key.value)
    },
  })

function assertParsed<Name extends DataFile>(name: Name, { value, problems }: ParseResult<DataOf<Name>>): DataOf<Name> {
  const [problem] = problems
  if (problem) throw new PublishError(`Fix ${name} first, line ${problem.line}: ${problem.message}.`)
  return value as DataOf<Name>
}

// Rules that releases and resources share.

/** The rule completes "<subject> …". */
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
export function findVersion(records: readonly { readonly version: string }[], { key, text }: Version, list: string) {
  const index = records.findIndex(({ version }) => parseVersion(version)?.key === key)
  const existing = records[index]?.version ?? text
  assertRule(existing === text, `${list} ${text}`, `is already published as ${existing}`)
  return index
}

export function assertNewest(records: readonly { readonly version: string }[], newVersion: Version, list: string) {
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
