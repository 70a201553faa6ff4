import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type FolderWatcher, watchFolder } from '../../platform/files/index.ts'
import { entriesOf } from './folder-files.ts'
import { Jobs } from './jobs.ts'
import { isKindName, misnamed } from './kinds.ts'
import type { Memory } from './memory.ts'
import { PictureFolder } from './picture-folder.ts'
import type { Found } from './read-entry.ts'
import type { Problem, Progress } from './types.ts'

interface Options {
  /** `animals` in the content folder. */
  path: string
  memory: Memory<Found>
  changed(): void
  noticed(problem: Problem): void
  onProgress?: ((progress: Progress) => void) | undefined
}

/** The folders of pictures, a kind each, and their watching: each on its own, so that a change is looked for only where it is. */
export class Animals {
  readonly folders = new Map<string, PictureFolder>()
  readonly jobs: Jobs
  readonly #watching = new Map<string, FolderWatcher>()
  readonly #options: Options
  #misnamed: Problem[] = []

  constructor(options: Options) {
    this.#options = options
    this.jobs = new Jobs(() => {
      for (const folder of this.folders.values()) if (folder.isDirty) folder.publish()
    }, options.onProgress)
  }

  get problems(): Problem[] {
    return [...this.#misnamed, ...[...this.folders.values()].flatMap(({ problems }) => problems)]
  }

  /** Finds kinds that came or went; resolves when the new ones were looked through once. */
  async look(): Promise<void> {
    const names = await foldersIn(this.#options.path)
    this.#misnamed = names.filter((name) => !isKindName(name)).map((name) => misnamed(`animals/${name}`))
    const kinds = new Set(names.filter(isKindName))
    for (const kind of this.folders.keys()) if (!kinds.has(kind)) this.#leave(kind)
    await Promise.all([...kinds].filter((kind) => !this.folders.has(kind)).map((kind) => this.#enter(kind)))
  }

  async close(): Promise<void> {
    for (const kind of this.folders.keys()) this.#leave(kind)
    await this.jobs.close()
  }

  #enter(kind: string): Promise<void> {
    const { path, memory, changed, noticed } = this.#options
    const around = { jobs: this.jobs, memory, published: changed, noticed }
    const folder = new PictureFolder(kind, join(path, kind), around)
    this.folders.set(kind, folder)
    const first = Promise.withResolvers<void>()
    let scanned = false
    const look = async (surely: boolean) => {
      const work = surely || !scanned ? folder.scan() : folder.patrol()
      scanned = true
      await work.finally(first.resolve)
    }
    const watching = watchFolder(folder.path, look, (names) => folder.lookAt(names))
    this.#watching.set(kind, watching)
    return first.promise
  }

  #leave(kind: string): void {
    this.#watching.get(kind)?.close()
    this.#watching.delete(kind)
    this.folders.get(kind)?.close()
    this.folders.delete(kind)
    this.#options.changed()
  }
}

/** An operator may link a folder from elsewhere. */
async function foldersIn(path: string): Promise<string[]> {
  const entries = await entriesOf(path)
  const isFolder = async (name: string) => (await stat(join(path, name)).catch(() => undefined))?.isDirectory() ?? false
  const folders = await Promise.all(
    entries.map(async (entry) => entry.isDirectory() || (entry.isSymbolicLink() && (await isFolder(entry.name)))),
  )
  return entries.filter((_, index) => folders[index]).map(({ name }) => name)
}
