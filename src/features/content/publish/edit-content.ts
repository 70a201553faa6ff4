// Edits lists, credits and pictures. A file that the service would refuse is never written.
import { basename, dirname, join } from 'node:path'
import { PublishError } from '../../../errors/index.ts'
import {
  acceptEntries,
  type Change,
  type EditedFiles,
  type EditOptions,
  editFolder,
  type FileContent,
  type FileEdit,
} from '../../../platform/files/index.ts'
import { CREDITS_FILE, Credit, Credits } from '../credits.ts'
import { isListFile, parseListFile } from '../lists.ts'
import { parseYaml } from '../parse-file.ts'
import { listFileNames, roleOf } from '../read-picture-file.ts'

export const ANIMALS_DIR = 'animals'

/** Whether the service reads it: a list, a picture or credits. */
export const isContentFile = (file: string) =>
  isListFile(file) ||
  (/^animals\/[^/]+\/[^/]+$/.test(file) && ['picture', 'credits', 'sidecar'].includes(roleOf(basename(file))))

export const isPicture = (file: string) => file.startsWith(`${ANIMALS_DIR}/`) && roleOf(basename(file)) === 'picture'

/** `dir` is CONTENT_DIR. */
export const editContent = <T extends object>(
  dir: string,
  options: EditOptions,
  work: (files: EditedFiles) => Promise<T>,
): Promise<Change & T> =>
  editFolder(
    dir,
    options,
    {
      isText: (file) => !isPicture(file),
      // A kind without pictures does not exist.
      isTemporary: (folder) => dirname(folder) === ANIMALS_DIR,
      check: (edits) => edits.forEach(assertValid),
      prepare: (edits) => acceptShrinking(dir, edits),
    },
    work,
  )

/** Pictures are checked when they are added. */
function assertValid({ file, after }: FileEdit): void {
  if (after === null || isPicture(file)) return
  const bytes = Buffer.from(after)
  const { problems } = isListFile(file)
    ? parseListFile(file, bytes)
    : basename(file) === CREDITS_FILE
      ? parseYaml(file, bytes, Credits)
      : parseYaml(file, bytes, Credit)
  const [problem] = problems
  if (!problem) return
  const place = problem.line === undefined ? file : `${file}, line ${problem.line}`
  throw new PublishError(`${place}: ${problem.message.replace(/\.$/, '')}.`)
}

/** The operator removes entries on purpose: the service must not take it for a fault. */
export async function acceptShrinking(dir: string, edits: readonly FileEdit[]): Promise<void> {
  const accepted: Record<string, number> = {}
  const lost = new Map<string, number>()
  for (const { file, before, after } of edits) {
    if (isPicture(file)) {
      const change = Number(after === null) - Number(before === null)
      lost.set(dirname(file), (lost.get(dirname(file)) ?? 0) + change)
    } else if (isListFile(file)) {
      const count = (content: FileContent) =>
        content === null ? 0 : (parseListFile(file, Buffer.from(content)).value?.length ?? 0)
      if (count(after) < count(before)) accepted[file] = count(after)
    }
  }
  for (const [folder, count] of lost) {
    if (count > 0) accepted[folder] = (await listPictures(join(dir, folder))).length - count
  }
  if (Object.keys(accepted).length > 0) await acceptEntries(dir, accepted)
}

export const listPictures = async (folder: string) =>
  (await listFileNames(folder)).filter((name) => roleOf(name) === 'picture')
