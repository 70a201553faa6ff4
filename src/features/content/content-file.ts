import { isUtf8 } from 'node:buffer'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Static, TSchema } from 'typebox'
import type { Stamp, StatResult } from '../../platform/files/index.ts'
import { isExhausted, isSameStamp, statFile, statFileSync, statFiles } from '../../platform/files/index.ts'
import type { Problem } from '../../platform/logging/index.ts'
import { type ParseResult, parseYamlFile } from '../../platform/yaml/index.ts'
import { CREDITS_FILE, Credit, Credits } from './credits.ts'
import { typeOfName } from './kinds.ts'
import type { PictureInfo } from './picture-index.ts'
import { MAX_FILE_BYTES, TOO_LARGE, validatePicture } from './validate-picture.ts'

/** The result of reading a file; stored in the file cache, so it is plain JSON. */
export interface FileEntry {
  picture?: PictureInfo
  /** Only if the file is a credits.yaml. */
  credits?: Credits | undefined
  /** Only if the file is a sidecar. */
  credit?: Credit | undefined
  problems?: readonly Problem[]
  /** The problem may disappear although the file does not change. */
  isTemporary?: boolean
}

export const SIDECAR_EXTENSION = '.yaml'
/** Size of folders, pipes and devices, which cannot be read. */
const NOT_A_FILE = -1

export const pictureOfSidecar = (name: string) => name.slice(0, -SIDECAR_EXTENSION.length)

/** The purpose of a file in the folder of a kind, by its name. Notes, such as README.md, are ignored. */
export function roleOf(name: string): 'picture' | 'credits' | 'sidecar' | 'note' | 'unsupported' {
  if (name === CREDITS_FILE) return 'credits'
  if (typeOfName(name)) return 'picture'
  if (name.endsWith(SIDECAR_EXTENSION) && typeOfName(pictureOfSidecar(name))) return 'sidecar'
  return /\.(txt|md)$|^[^.]+$/i.test(name) ? 'note' : 'unsupported'
}

/** The names in a folder except hidden ones; none if it cannot be read. Rejects if that says nothing about the folder. */
export async function listVisibleNames(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error) => {
    if (isExhausted(error)) throw error
    return []
  })
  return names.filter((name) => !name.startsWith('.'))
}

/** The names of the files in the folder of a kind, except notes. */
export const listFileNames = async (folder: string) =>
  (await listVisibleNames(folder)).filter((name) => roleOf(name) !== 'note')

const toStamp = (stats: StatResult | undefined): Stamp | undefined =>
  stats === undefined || stats instanceof Error
    ? undefined
    : { size: stats.isFile() ? stats.size : NOT_A_FILE, mtimeMs: stats.mtimeMs }

/** Undefined if there is no such file. */
export const readStamp = async (path: string) => toStamp(await statFile(path))

/** Files that are missing are not in the result. */
export async function readStamps(folder: string, names: readonly string[]): Promise<Map<string, Stamp>> {
  const found = await statFiles(folder, names, toStamp)
  const stamps = new Map<string, Stamp>()
  for (const name of names) {
    const stamp = found.get(name)
    if (stamp) stamps.set(name, stamp)
    // Node replaces bytes that are not UTF-8, so the file is not found by this name. It is reported, not ignored.
    else if (name.includes('\ufffd')) stamps.set(name, { size: NOT_A_FILE, mtimeMs: 0 })
  }
  return stamps
}

/** Reads a file that had this stamp; undefined if it has changed since. `label` is its name in problems. */
export async function readPictureFile(
  folder: string,
  name: string,
  stamp: Stamp,
  label: string,
): Promise<FileEntry | undefined> {
  const reject = (rule: string, message: string): FileEntry => ({ problems: [{ file: label, rule, message }] })
  const role = roleOf(name)
  if (role === 'unsupported') return reject('extension', 'Only jpg, png, webp, gif and avif pictures are served.')
  if (name.startsWith('~')) return reject('name', 'Names that start with ~ are reserved for drawings.')
  if (name.includes('\ufffd')) return reject('name', 'The name is not valid UTF-8. Rename the file.')
  if (stamp.size === NOT_A_FILE) return reject('file', 'This is not a regular file.')
  if (stamp.size > MAX_FILE_BYTES) return reject('size', TOO_LARGE)
  const path = join(folder, name)
  let bytes: Buffer
  try {
    bytes = await readFile(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    return { ...reject('readable', `The file cannot be read (${code}).`), isTemporary: true }
  }
  // Synchronous: the stat of a file that was just read is cached, and a thread would take longer.
  const after = toStamp(statFileSync(path))
  if (!after || !isSameStamp(stamp, after) || bytes.length !== stamp.size) return undefined
  if (role === 'picture') {
    const result = await validatePicture(name, bytes)
    return 'picture' in result ? result : reject(result.rule, result.message)
  }
  if (role === 'credits') {
    const { value, problems } = parseYaml(label, bytes, Credits)
    return { credits: value, problems }
  }
  const { value, problems } = parseYaml(label, bytes, Credit)
  return { credit: value, problems }
}

const NEWLINE = 0x0a
/** No request is answered meanwhile. A usual file of this size takes 0.1 s of CPU time, the worst one two seconds. */
const MAX_YAML_BYTES = 256 * 2 ** 10

/** Removes a byte order mark. The problem names the first line that is not UTF-8. */
export function parseUtf8(file: string, bytes: Buffer): ParseResult<string> {
  if (isUtf8(bytes)) return { value: bytes.toString('utf8').replace(/^\ufeff/, ''), problems: [] }
  let line = 1
  for (let start = 0; ; line++) {
    const end = bytes.indexOf(NEWLINE, start)
    if (end < 0 || !isUtf8(bytes.subarray(start, end))) break
    start = end + 1
  }
  return { problems: [{ file, line, rule: 'utf-8', message: 'This line is not valid UTF-8. Save the file as UTF-8.' }] }
}

/** Parses YAML that must match a schema; every problem names its line. */
export function parseYaml<S extends TSchema>(file: string, bytes: Buffer, schema: S): ParseResult<Static<S>> {
  if (bytes.length > MAX_YAML_BYTES) {
    const message = `A YAML file may have at most ${MAX_YAML_BYTES / 2 ** 10} KiB. Split it.`
    return { problems: [{ file, line: 1, rule: 'size', message }] }
  }
  const { value: text, problems } = parseUtf8(file, bytes)
  return text === undefined ? { problems } : parseYamlFile(file, text, schema, { allowsAliases: true })
}
