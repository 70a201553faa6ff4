import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { domainToASCII } from 'node:url'
import { type Watching, watchFolder } from '../files/index.ts'
import type { Log } from '../logging/index.ts'
import { parseList } from './parse.ts'

export interface BlocklistFacts {
  readonly path: string
  /** Of the bytes of the file, as `sha256sum` prints it. */
  readonly sha256: string
  readonly size: number
  readonly entries: number
  readonly modifiedAt: string
  /** Which list this is. */
  readonly source: string
}

interface Loaded {
  readonly facts: BlocklistFacts
  readonly domains: ReadonlySet<string>
  readonly stamp: string
}

export interface BlocklistOptions {
  /** In order: the first that exists is the list. */
  readonly candidates: readonly { readonly file: string; readonly source: string }[]
  readonly log: Log
}

/** The hosts that no image is fetched from. */
export class Blocklist {
  readonly #options: BlocklistOptions
  readonly #watching: Watching[] = []
  #loaded: Loaded | undefined
  #problem: string | undefined

  private constructor(options: BlocklistOptions) {
    this.#options = options
  }

  static async open(options: BlocklistOptions): Promise<Blocklist> {
    const list = new Blocklist(options)
    await list.reload()
    const folders = new Set(options.candidates.map(({ file }) => dirname(file)))
    for (const folder of folders) list.#watching.push(watchFolder(folder, () => list.reload()))
    return list
  }

  /** A listed domain blocks its subdomains, too. */
  blocks(host: string): boolean {
    const domains = this.#loaded?.domains
    if (!domains || domains.size === 0) return false
    let name = domainToASCII(host.replace(/\.$/, ''))
    while (name !== '') {
      if (domains.has(name)) return true
      const dot = name.indexOf('.')
      name = dot === -1 ? '' : name.slice(dot + 1)
    }
    return false
  }

  /** Undefined where there is no list. */
  facts(): BlocklistFacts | undefined {
    return this.#loaded?.facts
  }

  problem(): string | undefined {
    return this.#problem
  }

  close(): void {
    for (const watching of this.#watching) watching.stop()
  }

  /** Looks whether the list changed; also done by itself within two seconds. */
  async reload(): Promise<void> {
    try {
      await this.#load()
      this.#problem = undefined
    } catch (error) {
      // The list that is in force stays in force.
      this.#problem = `the blocking list cannot be read: ${(error as Error).message}`
      this.#options.log.warn({ err: error }, 'the blocking list cannot be read')
    }
  }

  async #load(): Promise<void> {
    for (const { file, source } of this.#options.candidates) {
      const stats = await stat(file).catch(() => undefined)
      if (!stats?.isFile()) continue
      const stamp = `${file} ${stats.ino} ${stats.size} ${stats.mtimeMs}`
      if (stamp === this.#loaded?.stamp) return
      const bytes = await readFile(file)
      const domains = parseList(bytes.toString('utf8'))
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      const path = basename(file)
      const modifiedAt = stats.mtime.toISOString()
      this.#loaded = {
        stamp,
        domains,
        facts: { path, sha256, size: bytes.length, entries: domains.size, modifiedAt, source },
      }
      this.#options.log.info({ entries: domains.size, sha256, source }, 'the blocking list is in force')
      return
    }
    this.#loaded = undefined
  }
}

export const BLOCKLIST_FILE = 'blocklist.txt'

/** A list that the operator fetched goes before the one that comes with the content. */
export const blocklistCandidates = (dataDir: string, contentDir: string) => [
  { file: join(dataDir, 'cache', BLOCKLIST_FILE), source: 'update' },
  { file: join(contentDir, BLOCKLIST_FILE), source: 'content' },
]
