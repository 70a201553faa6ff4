// Makes changes with their record in the history, and publishes them to the other nodes.
import { join } from 'node:path'
import { PreconditionFailed, PublishError } from '../../errors/index.ts'
import type { Change, EditOptions, FileEdit, MovedFile } from '../../platform/files/index.ts'
import { readOptionalFile, withLock } from '../../platform/files/index.ts'
import { entryFileOf } from '../content/index.ts'
import { APP_PREFIX, type History, recover } from './history.ts'
import { createPatch, versionOf } from './history-entry.ts'
import { Outdated } from './sync/folder.ts'
import type { Sync } from './sync/sync.ts'

/** Each try fails only if another node has published meanwhile. */
const MAX_TRIES = 20

type PreparedChange = NonNullable<Awaited<ReturnType<Sync['prepareChange']>>>

export interface ChangeOptions {
  /** Who makes the change: the label of a token, or "command". */
  readonly by: string
  readonly token?: string | undefined
  /** Checks everything and changes nothing. */
  readonly dryRun?: boolean | undefined
  /** Versions that the file of the entry must have, or must not have; "*" is any version. */
  readonly ifVersion?: readonly string[] | undefined
  readonly ifNotVersion?: readonly string[] | undefined
}

/** What every change returns. */
export interface Changed {
  /** The id in the history. Undefined: nothing was changed. */
  readonly history: number | undefined
  /** The ids of all parts, if the change was made in several. Undo the last one first. */
  readonly parts?: readonly number[] | undefined
  /** The version of the changed file. Undefined: nothing was changed; null: it was removed. */
  readonly fileVersion: string | null | undefined
}

type About = { readonly change: string; readonly subject: string; readonly undoes?: number }

interface RecorderOptions {
  readonly history: History
  readonly contentDir: string
  /** Undefined: there are no other nodes. */
  readonly sync?: Sync | undefined
}

export function createRecorder({ history, contentDir, sync }: RecorderOptions) {
  /** Makes a change again if another node was faster. */
  async function record<Result extends Change>(
    about: About,
    isApp: boolean,
    options: ChangeOptions,
    run: (options: EditOptions) => Promise<Result>,
  ): Promise<Result & Changed> {
    if (!sync || options.dryRun) return recordOnce(about, isApp, options, run)
    return sync.withSharedLock(async () => {
      for (let tries = 1; ; tries++) {
        await sync.update()
        try {
          return await recordOnce(about, isApp, options, run)
        } catch (error) {
          if (!(error instanceof Outdated)) throw error
          if (tries === MAX_TRIES) throw new PublishError('Other nodes publish at the same time. Try again.')
        }
      }
    })
  }

  /** Records the edits before they are written. If they cannot be written, files and record are as before. */
  async function recordOnce<Result extends Change>(
    about: About,
    isApp: boolean,
    { by, token, dryRun = false, ...conditions }: ChangeOptions,
    run: (options: EditOptions) => Promise<Result>,
  ): Promise<Result & Changed> {
    const prefix = isApp ? APP_PREFIX : ''
    let id: number | undefined
    const ids: number[] = []
    let fileVersion: Changed['fileVersion']
    let published: Awaited<ReturnType<PreparedChange['publish']>> | undefined
    /** When the files are written. */
    const finish = async () => {
      await published?.advance()
      if (id !== undefined) await history.commit(id)
      published = undefined
    }
    const onEdit = async (relativeEdits: readonly FileEdit[], relativeMoved: readonly MovedFile[]) => {
      // Many pictures are written in several changes.
      await finish()
      id = undefined
      const last = relativeEdits.at(-1)
      if (!last) return
      const entry = await findEntryFile(last, relativeEdits)
      // Later parts of the same change find what the first one has written.
      if (ids.length === 0) assertVersion(versionOf(entry.before), conditions)
      // After a dry run, a client can require that the file is still the one that was checked.
      fileVersion = versionOf(dryRun ? entry.before : entry.after)
      if (dryRun) return
      const edits = relativeEdits.map((edit) => ({ ...edit, file: prefix + edit.file }))
      const moved = relativeMoved.map((file) => ({ ...file, file: prefix + file.file }))
      const prepared = await sync?.prepareChange(edits, moved)
      await history.keep(edits)
      const stored = { by, token, ...about, files: edits.map(createPatch), attached: prepared?.attached }
      const added = await history.add(stored, prepared?.id).catch(({ code, message }: NodeJS.ErrnoException) => {
        if (prepared && code === 'EEXIST') throw new Outdated()
        throw new PublishError(`Nothing was changed, because the history cannot be written: ${message}.`)
      })
      published = await prepared?.publish(added.text).catch(async (error) => {
        await history.remove(added.id)
        throw error
      })
      id = added.id
      ids.push(id)
    }
    try {
      const result = await run({ dryRun, onLock: () => recover(history, contentDir, isApp), onEdit })
      await finish()
      const parts = ids.length > 1 ? ids : undefined
      return { ...result, file: prefix + result.file, history: ids.at(-1), parts, fileVersion }
    } catch (error) {
      const { cause, message } = error as Error
      // Without "Nothing was changed", which the lock adds to a system error.
      const systemError = error instanceof PublishError && cause instanceof Error ? `${cause.message}.` : undefined
      const reason = systemError ?? message
      // The next synchronisation writes the files of a published change, after this attempt is recovered.
      if (published) throw new PublishError(`It is published, but this node cannot write its files yet: ${reason}`)
      if (id !== undefined) await restoreFiles(prefix, reason)
      const texts = await Promise.all(ids.map(history.readText))
      const made = ids.filter((_, index) => texts[index])
      if (systemError && made.length > 0)
        throw new PublishError(`Only a part was changed (change ${made.join(', ')}). Repeat the rest. ${reason}`)
      throw error
    }
  }

  /** The file of the entry comes last, except for pictures. It may be none of the edited ones. */
  async function findEntryFile(last: FileEdit, edits: readonly FileEdit[]): Promise<Omit<FileEdit, 'file'>> {
    const file = entryFileOf(last.file)
    const edit = edits.find((other) => other.file === file)
    if (edit) return edit
    const content = await readOptionalFile(contentDir, file)
    return { before: content, after: content }
  }

  /** Some files of a change are written. */
  async function restoreFiles(prefix: string, reason: string): Promise<void> {
    try {
      await withLock(join(contentDir, prefix), false, () => recover(history, contentDir, prefix === APP_PREFIX))
    } catch {
      throw new PublishError(`Only some files were changed. The next change restores them first. ${reason}`)
    }
  }

  return record
}

function assertVersion(
  version: string | null,
  { ifVersion, ifNotVersion = [] }: Pick<ChangeOptions, 'ifVersion' | 'ifNotVersion'>,
): void {
  const isIn = (list: readonly string[]) => version !== null && (list.includes('*') || list.includes(version))
  if (ifVersion && !isIn(ifVersion))
    throw new PreconditionFailed('It was changed at the same time. Read it again, and repeat the change.')
  if (isIn(ifNotVersion)) throw new PreconditionFailed('It exists already. Leave If-None-Match out to replace it.')
}
