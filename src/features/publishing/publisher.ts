import { join } from 'node:path'
import { PublishError, UnknownEntryError } from '../../errors/index.ts'
import { type FileContent, readOptionalFile, withLock } from '../../platform/files/index.ts'
import { CONTENT_LIST } from '../blocklist/index.ts'
import * as content from '../content/index.ts'
import * as releases from '../releases/index.ts'
import { type ChangeDefinition, listUploads } from './change.ts'
import { contentChanges } from './content-changes.ts'
import { findEditor } from './editors.ts'
import { APP_PREFIX, HISTORY_FOLDER, openHistory, recover } from './history.ts'
import { explainChangedSince, versionOf } from './history-entry.ts'
import { newsChanges, tierChanges } from './news-changes.ts'
import { type Changed, type ChangeOptions, createRecorder } from './record.ts'
import { releaseChanges, resourcesChanges } from './release-changes.ts'
import type { Sync } from './sync/sync.ts'
import type { Uploads } from './uploads.ts'

const appChanges = { ...releaseChanges, ...resourcesChanges, ...newsChanges, ...tierChanges }

/** Everything that an operator can publish and change. */
export const changes = { ...appChanges, ...contentChanges }

export type ChangeName = keyof typeof changes
export type ChangeInput<Name extends ChangeName> = Parameters<(typeof changes)[Name]['run']>[0]
export type ChangeResult<Name extends ChangeName> = Awaited<ReturnType<(typeof changes)[Name]['run']>>

interface PublisherOptions {
  readonly contentDir: string
  readonly dataDir: string
  readonly uploads?: Uploads
  /** Undefined: there are no other nodes. */
  readonly sync?: Sync | undefined
}

export type { Changed, ChangeOptions }

export type Publisher = ReturnType<typeof createPublisher>

export function createPublisher({ contentDir, dataDir, uploads, sync }: PublisherOptions) {
  const history = openHistory(join(dataDir, HISTORY_FOLDER))
  const dir = join(contentDir, APP_PREFIX)

  /**
   * An entry as a change would find it, with the version of its file. The version is read first: if the file changes
   * meanwhile, a change that requires this version is refused.
   */
  async function withVersion<Entry>(folder: string, file: string, read: () => Entry | Promise<Entry>) {
    const fileVersion = versionOf(await readOptionalFile(folder, file)) ?? undefined
    return { entry: await read(), fileVersion }
  }

  const record = createRecorder({ history, contentDir, sync })

  return {
    history,

    /** Completes or reverts changes that a killed process left. Call it at the start; every change does it, too. */
    async recover(): Promise<void> {
      if ((await history.listPending()).length === 0) return
      await withLock(dir, false, () => recover(history, contentDir, true))
      await withLock(contentDir, false, () => recover(history, contentDir, false))
    },

    /** Behind a load balancer, another node may get the change that uses the upload. */
    shareUpload: async (sha256: string) => uploads && sync?.shareUpload(uploads, sha256),

    async apply<Name extends ChangeName>(
      name: Name,
      input: ChangeInput<Name>,
      options: ChangeOptions,
    ): Promise<ChangeResult<Name> & Changed> {
      const change: ChangeDefinition = changes[name] as unknown as ChangeDefinition
      const about = { change: name, subject: change.subject(input) }
      const isApp = Object.hasOwn(appChanges, name)
      const folder = isApp ? dir : contentDir
      if (uploads) await sync?.fetchUploads(uploads, listUploads(input))
      const run = (edit: object) => change.run(input, { dir: folder, uploads, ...edit }) as Promise<ChangeResult<Name>>
      return record(about, isApp, options, run).catch(async (error) => {
        for (const sha256 of listUploads(input)) await uploads?.removeChanged(sha256)
        throw error
      })
    },

    /** Undoes a change, as a change that can itself be undone. */
    async undo(id: number, options: ChangeOptions) {
      if (!options.dryRun) await sync?.update()
      const entry = await history.find(id)
      const about = { change: 'history undo', subject: `${entry.change} ${entry.subject}`, undoes: id }
      const { dir: folder, edit, isApp, nameOf } = findEditor(contentDir, entry.files[0]?.file ?? '')
      const undone = await record(about, isApp, options, (editOptions) =>
        edit(folder, editOptions, async ({ read, write }) => {
          const restored = new Map<string, FileContent>()
          for (const patch of entry.files.toReversed()) {
            const file = nameOf(patch.file)
            restored.set(file, await history.revert(patch, await read(file)))
            await write(file, restored.get(file)!)
          }
          if (isApp) await assertNoOrphans(dir, restored)
        }),
      ).catch((error) => explainChangedSince(history, entry, error))
      return { ...undone, entry }
    },

    async readList(category: content.ListCategory, kind: string) {
      const { file, text } = await content.readListText(contentDir, category, kind)
      return { entry: { file, text }, fileVersion: versionOf(text) ?? undefined }
    },
    listKinds: () => content.listKinds(contentDir),
    previewMarkdown: async (markdown: string) => releases.previewMarkdown(markdown),
    async readBlocklist() {
      const bytes = await readOptionalFile(contentDir, CONTENT_LIST)
      return { entry: { file: CONTENT_LIST, text: String(bytes ?? '') }, fileVersion: versionOf(bytes) ?? undefined }
    },
    /** The version is that of the credits. */
    async readPictures(kind: string) {
      const { file } = await content.readPictures(contentDir, kind)
      return withVersion(contentDir, file, () => content.readPictures(contentDir, kind))
    },
    listReleases: () => releases.listReleases(dir),
    listResources: () => releases.listResources(dir),
    listNews: () => releases.listNews(dir),
    readRelease: (application: string, version: string) =>
      withVersion(dir, 'releases.yaml', async () => {
        const all = (await releases.listReleases(dir)).filter((release) => release.application === application)
        return findVersion(all, version, `release ${application}`)
      }),
    readResources: (version: string) =>
      withVersion(dir, 'resources.yaml', async () =>
        findVersion(await releases.listResources(dir), version, 'resources'),
      ),
    readTier: (tier: '2' | '3') => withVersion(dir, 'tiers.yaml', () => releases.readTier(dir, tier)),
    async readNews(id: string, lang?: string) {
      const { file } = await releases.readNews(dir, id, lang)
      return withVersion(dir, file, () => releases.readNews(dir, id, lang))
    },
  }
}

function findVersion<Entry extends { readonly version: string }>(all: Entry[], version: string, list: string): Entry {
  const entry = all.find((other) => releases.isSameVersion(other.version, version))
  if (!entry) throw new UnknownEntryError(`There is no ${list} ${version}.`)
  return entry
}

/** Refuses to leave a translation without its news item. */
async function assertNoOrphans(dir: string, restored: ReadonlyMap<string, FileContent>): Promise<void> {
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
