import { join } from 'node:path'
import { type FolderWatcher, isFolder, watchFolder } from '../../platform/files/index.ts'
import type { Problem } from '../../platform/logging/index.ts'
import { KindFolder, type KindFolderOptions } from './kind-folder.ts'
import { invalidKindName, isKindName } from './kinds.ts'
import { listVisibleNames } from './read-picture-file.ts'
import { createReadQueue, type OnProgress, type ReadQueue } from './read-queue.ts'

interface Options extends Omit<KindFolderOptions, 'queue'> {
  /** `animals` in the content folder. */
  path: string
  onProgress?: OnProgress | undefined
}

/** The folders of pictures, one per kind. Each has its own watcher, so a change is searched only in its folder. */
export class AnimalsFolder {
  readonly folders = new Map<string, KindFolder>()
  readonly queue: ReadQueue
  readonly #watchers = new Map<string, FolderWatcher>()
  readonly #options: Options
  #invalidNames: Problem[] = []

  constructor(options: Options) {
    this.#options = options
    this.queue = createReadQueue(() => {
      for (const folder of this.folders.values()) if (folder.hasUnpublished) folder.publish()
    }, options.onProgress)
  }

  get problems(): Problem[] {
    return [...this.#invalidNames, ...[...this.folders.values()].flatMap(({ problems }) => problems)]
  }

  /** Finds kinds that were added or removed; resolves when the added ones were scanned once. */
  async scan(): Promise<void> {
    const names = await listFolders(this.#options.path)
    this.#invalidNames = names.filter((name) => !isKindName(name)).map((name) => invalidKindName(`animals/${name}`))
    const kinds = new Set(names.filter(isKindName))
    for (const kind of this.folders.keys()) if (!kinds.has(kind)) this.#remove(kind)
    await Promise.all([...kinds].filter((kind) => !this.folders.has(kind)).map((kind) => this.#add(kind)))
  }

  async close(): Promise<void> {
    for (const kind of this.folders.keys()) this.#remove(kind)
    await this.queue.close()
  }

  /** Resolves when the folder was scanned once. */
  #add(kind: string): Promise<void> {
    const folder = new KindFolder(kind, join(this.#options.path, kind), { ...this.#options, queue: this.queue })
    this.folders.set(kind, folder)
    const firstCheck = Promise.withResolvers<void>()
    const check = (hasChanged: boolean) =>
      (hasChanged ? folder.scan() : folder.checkSample()).finally(firstCheck.resolve)
    const watcher = watchFolder(folder.path, check, (names) => folder.checkNames(names))
    this.#watchers.set(kind, watcher)
    return firstCheck.promise
  }

  #remove(kind: string): void {
    this.#watchers.get(kind)?.close()
    this.#watchers.delete(kind)
    this.folders.get(kind)?.close()
    this.folders.delete(kind)
    this.#options.onPublish()
  }
}

/** Includes links to folders. */
async function listFolders(path: string): Promise<string[]> {
  const names = await listVisibleNames(path)
  const areFolders = await Promise.all(names.map((name) => isFolder(join(path, name))))
  return names.filter((_, index) => areFolders[index])
}
