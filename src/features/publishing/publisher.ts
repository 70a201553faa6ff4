import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as releases from '../releases/index.ts'
import { type FileEdit, PublishError, UnknownEntryError } from '../releases/index.ts'
import type { ChangeDefinition } from './change.ts'
import { createPatch, openHistory, revertPatch, versionOf } from './history.ts'
import { newsChanges, tierChanges } from './news-changes.ts'
import { releaseChanges, resourcesChanges } from './release-changes.ts'
import type { Uploads } from './uploads.ts'

/** Everything that an operator can publish and change. */
export const changes = { ...releaseChanges, ...resourcesChanges, ...newsChanges, ...tierChanges }

export type ChangeName = keyof typeof changes
export type ChangeInput<Name extends ChangeName> = Parameters<(typeof changes)[Name]['run']>[0]
type ChangeResult<Name extends ChangeName> = Awaited<ReturnType<(typeof changes)[Name]['run']>>

export interface ChangeOptions {
  /** Who makes the change: the label of a token, or "command". */
  readonly by: string
  readonly token?: string | undefined
  /** Checks everything and changes nothing. */
  readonly dryRun?: boolean | undefined
  /** Gets the version of the entry before the change, or null for a new one. If it throws, nothing is changed. */
  readonly checkVersion?: ((version: string | null) => void) | undefined
}

/** What every change returns. */
export interface Changed {
  /** The id in the history. Undefined: nothing was changed. */
  readonly history: number | undefined
  /** The version of the changed file. Undefined: nothing was changed; null: it was removed. */
  readonly fileVersion: string | null | undefined
}

interface PublisherOptions {
  readonly contentDir: string
  readonly dataDir: string
  readonly uploads?: Uploads
}

/** Names in the history are relative to CONTENT_DIR. */
const APP_FOLDER = 'app'

export type Publisher = ReturnType<typeof createPublisher>

export function createPublisher({ contentDir, dataDir, uploads }: PublisherOptions) {
  const history = openHistory(join(dataDir, 'history'))
  const dir = join(contentDir, APP_FOLDER)

  const readVersion = async (file: string) =>
    versionOf(await readFile(join(dir, file), 'utf8').catch(() => null)) ?? undefined

  /** Records the edits before they are written. The record is removed if they cannot be written. */
  async function record<Result extends object>(
    about: { readonly change: string; readonly subject: string; readonly undoes?: number },
    { by, token, dryRun = false, checkVersion }: ChangeOptions,
    run: (options: { dryRun: boolean; onEdit: (edits: readonly FileEdit[]) => Promise<void> }) => Promise<Result>,
  ): Promise<Result & Changed> {
    let id: number | undefined
    let fileVersion: Changed['fileVersion']
    const onEdit = async (edits: readonly FileEdit[]) => {
      // The file of the entry comes last.
      const last = edits.at(-1)
      if (!last) return
      checkVersion?.(versionOf(last.before))
      fileVersion = versionOf(last.after)
      if (dryRun) return
      const files = edits.map((edit) => createPatch({ ...edit, file: `${APP_FOLDER}/${edit.file}` }))
      id = await history.add({ by, token, ...about, files }).catch(({ message }: Error) => {
        throw new PublishError(`Nothing was changed, because the history cannot be written: ${message}.`)
      })
    }
    try {
      return { ...(await run({ dryRun, onEdit })), history: id, fileVersion }
    } catch (error) {
      if (id !== undefined) await history.remove(id)
      throw error
    }
  }

  return {
    history,

    apply<Name extends ChangeName>(
      name: Name,
      input: ChangeInput<Name>,
      options: ChangeOptions,
    ): Promise<ChangeResult<Name> & Changed> {
      const change: ChangeDefinition = changes[name] as unknown as ChangeDefinition
      const about = { change: name, subject: change.subject(input) }
      const run = (edit: object) => change.run(input, { dir, uploads, ...edit }) as Promise<ChangeResult<Name>>
      return record(about, options, run)
    },

    /** Undoes a change, as a change that can itself be undone. */
    async undo(id: number, options: Omit<ChangeOptions, 'checkVersion'>) {
      const entry = await history.find(id)
      const about = { change: 'history undo', subject: `${entry.change} ${entry.subject}`, undoes: id }
      const undone = await record(about, options, (edit) =>
        releases.editFiles(dir, edit, async ({ read, write }) => {
          const restored = new Map<string, string | null>()
          for (const patch of entry.files.toReversed()) {
            const file = patch.file.slice(APP_FOLDER.length + 1)
            restored.set(file, revertPatch(patch, await read(file)))
            await write(file, restored.get(file)!)
          }
          await assertNoOrphans(dir, restored)
          return {}
        }),
      )
      return { ...undone, entry }
    },

    /**
     * Entries as a change would find them, with the version of their file. The version is read first: if the file changes
     * meanwhile, a change that requires this version is refused.
     */
    async readRelease(application: string, version: string) {
      const fileVersion = await readVersion('releases.yaml')
      const all = await releases.listReleases(dir)
      const entry = all.find((release) => release.application === application && release.version === version)
      return { entry: assertEntry(entry, `release ${application} ${version}`), fileVersion }
    },
    async readResources(version: string) {
      const fileVersion = await readVersion('resources.yaml')
      const entry = (await releases.listResources(dir)).find((resources) => resources.version === version)
      return { entry: assertEntry(entry, `resources ${version}`), fileVersion }
    },
    async readTier(tier: '2' | '3') {
      const fileVersion = await readVersion('tiers.yaml')
      return { entry: await releases.readTier(dir, tier), fileVersion }
    },
    async readNews(id: string, lang?: string) {
      const { file } = await releases.readNews(dir, id, lang)
      const fileVersion = await readVersion(file)
      return { entry: await releases.readNews(dir, id, lang), fileVersion }
    },
  }
}

function assertEntry<Entry>(entry: Entry | undefined, name: string): Entry {
  if (!entry) throw new UnknownEntryError(`There is no ${name}.`)
  return entry
}

/** Refuses to leave a translation without its news item. */
async function assertNoOrphans(dir: string, restored: ReadonlyMap<string, string | null>): Promise<void> {
  const before = new Set(await releases.listNewsFiles(dir))
  const after = new Set([...before].filter((file) => restored.get(file) !== null))
  for (const [file, text] of restored) if (text !== null) after.add(file)
  const orphan = [...after].find((file) => isOrphan(file, after) && !isOrphan(file, before))
  if (orphan) throw new PublishError(`${orphan} would be a translation without its news item.`)
}

function isOrphan(file: string, files: ReadonlySet<string>): boolean {
  const { name, lang } = releases.parseTranslationName(file)
  return files.has(file) && lang !== undefined && !files.has(`news/${name}.md`)
}
