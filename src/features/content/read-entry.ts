import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Compile } from 'typebox/compile'
import { CREDITS_FILE, Credit, Credits } from './credits.ts'
import type { PictureFacts } from './picture.ts'
import { typeOfName } from './picture-types.ts'
import { isSameStamp, type Stamp, stampOfNow } from './stamp.ts'
import type { Problem } from './types.ts'
import { inspectPicture, MAX_FILE_BYTES, type Refusal, tooLarge } from './validate-picture.ts'
import { readYaml } from './yaml-file.ts'

/** What a file in a kind's folder is for, by its name. */
export type Role = 'picture' | 'credits' | 'sidecar' | 'note' | 'stranger'

/** What a file turned out to be, as JSON; `mayPass` is a problem that can end without a change of the file. */
export type Found =
  | { facts: PictureFacts }
  | { credits: Credits; problems: Problem[] }
  | { credit: Credit; problems: Problem[] }
  | { problems: Problem[]; mayPass?: boolean }

const SIDECAR = '.yaml'

export const pictureOfSidecar = (name: string) => name.slice(0, -SIDECAR.length)

export function roleOf(name: string): Role {
  if (name === CREDITS_FILE) return 'credits'
  if (typeOfName(name)) return 'picture'
  if (name.endsWith(SIDECAR) && typeOfName(pictureOfSidecar(name))) return 'sidecar'
  return /\.(txt|md)$|^[^.]+$/i.test(name) ? 'note' : 'stranger'
}

const credit = Compile(Credit)
const credits = Compile(Credits)

/** Reads a file of which `stamp` was seen; undefined when it changed or went meanwhile. `label` is its name in problems. */
export async function examine(folder: string, name: string, stamp: Stamp, label: string): Promise<Found | undefined> {
  const refused = ({ rule, message }: Refusal): Found => ({ problems: [{ file: label, rule, message }] })
  const role = roleOf(name)
  if (role === 'stranger')
    return refused({ rule: 'extension', message: 'Only jpg, png, webp, gif and avif pictures are served.' })
  if (name.startsWith('~')) return refused({ rule: 'name', message: 'A name that starts with ~ is that of a drawing.' })
  if (name.includes('\ufffd'))
    return refused({ rule: 'name', message: 'The name is not valid UTF-8; rename the file.' })
  if (stamp.size < 0) return refused({ rule: 'file', message: 'This is not a regular file.' })
  if (stamp.size > MAX_FILE_BYTES) return refused(tooLarge().refusal)
  const path = join(folder, name)
  let bytes: Buffer
  try {
    bytes = await readFile(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    const problem = { file: label, rule: 'readable', message: `The file cannot be read (${code}).` }
    return { problems: [problem], mayPass: true }
  }
  // What was read a moment ago is answered from memory, sooner than a thread could be asked.
  const after = stampOfNow(path)
  if (!after || !isSameStamp(stamp, after) || bytes.length !== stamp.size) return undefined
  if (role === 'picture') {
    const inspected = await inspectPicture(name, bytes)
    return 'facts' in inspected ? inspected : refused(inspected.refusal)
  }
  if (role === 'credits') {
    const { value, problems } = readYaml<Credits>(label, bytes, credits)
    return value ? { credits: value, problems } : { problems }
  }
  const { value, problems } = readYaml<Credit>(label, bytes, credit)
  return value ? { credit: value, problems } : { problems }
}
