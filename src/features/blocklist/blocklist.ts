import { basename, dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type FolderWatcher, watchFolder } from '../../platform/files/index.ts'
import type { Log } from '../../platform/logging/index.ts'
import { type Candidate, type FoundList, lookFor, type Seen } from './candidates.ts'
import { HostIndex } from './host-index.ts'
import { readOrigin } from './origin.ts'
import type { ReadList } from './read-list.ts'
import { readList } from './reader.ts'

/** What changes is taken once it looked the same twice, this long apart: nobody gets half of a file. */
const SETTLE_MS = 250
/** After that, whoever writes is slow; the watching looks again. */
const MAX_LOOKS = 6
/** A file as old as this is nobody's work in progress. */
const OLD_MS = 1000

export interface BlocklistFacts {
  readonly path: string
  /** Of the bytes of the file, as `sha256sum` prints it. */
  readonly sha256: string
  readonly size: number
  readonly entries: number
  readonly modifiedAt: string
  /** The host that the list was fetched from, or which list this is. */
  readonly source: string
}

export interface BlocklistOptions {
  /** In order: the first that exists is the list. */
  readonly candidates: readonly Candidate[]
  readonly log: Log
}

/** The hosts that no image is fetched from. */
export class Blocklist {
  readonly #options: BlocklistOptions
  readonly #watching: FolderWatcher[] = []
  readonly #closed = new AbortController()
  #inForce: { readonly facts: BlocklistFacts; readonly index: HostIndex } | undefined
  /** What was looked at last, in force or refused. */
  #stamp: string | undefined
  #refused: string | undefined
  #problem: string | undefined
  #turn: Promise<void> = Promise.resolve()

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
    return this.#inForce?.index.has(host) ?? false
  }

  /** The entry that blocks a host. */
  entryFor(host: string): string | undefined {
    return this.#inForce?.index.entryFor(host)
  }

  /** Undefined where there is no list. */
  facts(): BlocklistFacts | undefined {
    return this.#inForce?.facts
  }

  problem(): string | undefined {
    return this.#problem
  }

  close(): void {
    this.#closed.abort()
    for (const watching of this.#watching) watching.close()
  }

  /** Looks whether the list changed; also done by itself within two seconds. Until the new one is ready, the old serves. */
  reload(): Promise<void> {
    this.#turn = this.#turn.then(() => this.#look())
    return this.#turn
  }

  async #look(): Promise<void> {
    try {
      await this.#follow()
    } catch (error) {
      if (this.#closed.signal.aborted) return
      this.#tell((error as Error).message)
    }
    if (this.#problem !== undefined && !this.#inForce) await this.#fallBack()
  }

  async #follow(): Promise<void> {
    for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
      const seen = await lookFor(this.#options.candidates)
      if (seen.stamp === this.#stamp) {
        this.#problem = this.#refused
        return
      }
      if ((await this.#isSettled(seen)) && (await this.#take(seen))) return
    }
    throw new Error('it is being written')
  }

  async #isSettled({ stamp, list }: Seen): Promise<boolean> {
    if (this.#stamp === undefined && !(list && Math.abs(Date.now() - list.modifiedAt.getTime()) < OLD_MS)) return true
    await sleep(SETTLE_MS, undefined, { signal: this.#closed.signal })
    return (await lookFor(this.#options.candidates)).stamp === stamp
  }

  /** False where the file changed meanwhile. */
  async #take({ stamp, list }: Seen): Promise<boolean> {
    const outcome = list && (await readList(list.file, this.#closed.signal))
    const origin = outcome && 'list' in outcome && (await readOrigin(list.file, outcome.list.sha256))
    const isStill = (await lookFor(this.#options.candidates)).stamp === stamp
    this.#closed.signal.throwIfAborted()
    if (!isStill || (outcome && 'changed' in outcome)) return false
    this.#stamp = stamp
    this.#refused = outcome && 'refused' in outcome ? this.#tell(outcome.refused) : undefined
    this.#problem = this.#refused
    if (!outcome) this.#inForce = undefined
    else if ('list' in outcome) this.#enforce(list, outcome.list, origin ? origin.source : list.source)
    return true
  }

  #enforce({ file, modifiedAt }: FoundList, { index, ignored, ...read }: ReadList, source: string): void {
    const facts = { path: basename(file), ...read, modifiedAt: modifiedAt.toISOString(), source }
    this.#inForce = { facts, index: new HostIndex(index) }
    const { entries, sha256 } = facts
    this.#options.log.info({ entries, ignored, sha256, source }, 'the blocking list is in force')
  }

  /** At the start nothing is in force yet: the next list is better than none. */
  async #fallBack(): Promise<void> {
    const candidates = this.#options.candidates.slice(1)
    if (candidates.length === 0) return
    const next = new Blocklist({ ...this.#options, candidates })
    await next.reload()
    this.#inForce = next.#inForce
  }

  /** The list that is in force stays in force; what is wrong is logged once, not at every look. */
  #tell(message: string): string {
    const problem = `the blocking list cannot be read: ${message}`
    if (problem !== this.#problem) this.#options.log.warn({}, problem)
    this.#problem = problem
    return problem
  }
}
