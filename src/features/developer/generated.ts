import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isPlainName, writeAtomically } from '../../platform/files/index.ts'
import { type FileContent, type FileEntry, listFolder, readFileInside } from './folder.ts'

/** The files that the service makes about itself. */
export class GeneratedFiles {
  readonly #dir: string

  constructor(dir: string) {
    this.#dir = dir
  }

  /** Writes a file only where it tells something new, so that its time tells when that was. */
  async put(path: string, value: unknown): Promise<void> {
    if (!isPlainName(path)) throw new Error(`not the name of a generated file: ${path}`)
    const text = typeof value === 'string' ? value : `${JSON.stringify(value, null, 2)}\n`
    const file = join(this.#dir, path)
    if ((await readFile(file, 'utf8').catch(() => undefined)) !== text) await writeAtomically(file, text)
  }

  list(path: string): Promise<FileEntry[] | undefined> {
    return listFolder(this.#dir, path)
  }

  read(path: string): Promise<FileContent | undefined> {
    return readFileInside(this.#dir, path)
  }
}
