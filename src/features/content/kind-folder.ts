import { setImmediate } from 'node:timers/promises'
import { createSerialRun } from '../../platform/concurrency/index.ts'
import { isSameStamp, mayChangeUnnoticed, SETTLE_MS, type Stamp } from '../../platform/files/index.ts'
import type { Problem } from '../../platform/logging/index.ts'
import type { FileEntry } from './content-file.ts'
import { listFileNames, pictureOfSidecar, readPictureFile, readStamp, readStamps, roleOf } from './content-file.ts'
import { CREDITS_FILE, type Credits, KindCredits } from './credits.ts'
import type { FileCache } from './file-cache.ts'
import type { ColorFinder } from './media-reader.ts'
import { compareByTypeAndName, type FindColor, Picture, PictureIndex } from './picture-index.ts'
import type { ReadQueue } from './read-queue.ts'

/** While many files are read: the more pictures there are, the longer sorting takes. */
const computePublishDelayMs = (count: number) => 500 + count / 50
/** Files of a routine check. */
const SAMPLE_FILES = 500
/** Files that are compared before requests get a turn. */
const COMPARED_PER_TURN = 1000

interface FileRecord extends Pick<FileEntry, 'problems' | 'isTemporary'> {
  stamp: Stamp
  picture?: Picture
}

export interface KindFolderOptions {
  queue: ReadQueue
  cache: FileCache<FileEntry>
  findColor?: ColorFinder | undefined
  /** Called after the index changed. */
  onPublish(): void
  onProblem(problem: Problem): void
}

/**
 * The pictures of one kind. It reads files one by one, because there may be 100,000 of them, and a broken picture is
 * removed; so it does not use `WatchedFiles`, which reads all changed files at once and keeps the last good version.
 */
export class KindFolder {
  readonly kind: string
  readonly path: string
  index = new PictureIndex([])
  /** When the listing began that found the newest file. */
  foundAt = 0
  /** Compares the folder with the known files. */
  readonly scan = createSerialRun(() => this.#scan()).run
  readonly #options: KindFolderOptions
  readonly #files = new Map<string, FileRecord>()
  readonly #credits: KindCredits
  /** By the names of credits.yaml and sidecars. They stay in use while a file is not valid, also after a restart. */
  readonly #lastGoodCredits = new Map<string, Pick<FileEntry, 'credits' | 'credit'>>()
  readonly #findColor: FindColor | undefined
  #added: Picture[] = []
  #nextSample = 0
  #publishTimer: NodeJS.Timeout | undefined

  constructor(kind: string, path: string, options: KindFolderOptions) {
    this.kind = kind
    this.path = path
    this.#options = options
    this.#findColor = options.findColor?.(path)
    this.#credits = new KindCredits(kind)
  }

  /** Finds a picture by its public or its original name. */
  find(file: string): Picture | undefined {
    const [, stem, id, extension] = /^(.*)-([0-9a-f]{12})(\.[^.]+)$/s.exec(file) ?? []
    const picture = id && this.#files.get(`${stem}${extension}`)?.picture
    return picture && picture.id === id ? picture : this.#files.get(file)?.picture
  }

  get problems(): Problem[] {
    const problems = [...this.#files.values()].flatMap(({ problems = [] }) => problems)
    return [...problems, ...this.#credits.findProblems(this.#label(CREDITS_FILE), (name) => this.#files.has(name))]
  }

  /** Checks the files that the system reported: with 100,000 files this is much faster than a scan. */
  async checkNames(names: readonly string[]): Promise<void> {
    await this.#checkFiles(names.filter((name) => !name.startsWith('.') && roleOf(name) !== 'note'))
    this.publish()
  }

  /** Checks a few files, others each time: finds changes on file systems that report none, but later. */
  async checkSample(): Promise<void> {
    const names = [...this.#files.keys()].slice(this.#nextSample, this.#nextSample + SAMPLE_FILES)
    this.#nextSample = names.length < SAMPLE_FILES ? 0 : this.#nextSample + SAMPLE_FILES
    const stamps = await readStamps(this.path, names)
    const hasChanged = names.some((name) => {
      const [stamp, record] = [stamps.get(name), this.#files.get(name)]
      return record && !(stamp && isSameStamp(stamp, record.stamp))
    })
    if (hasChanged) await this.scan()
  }

  /** Reads a file even if its size and time are the same: damage, or a lost permission, does not change them. */
  readAgain(name: string): Promise<void> {
    const record = this.#files.get(name)
    if (record) record.isTemporary = true
    return this.scan()
  }

  /** Updates the index with the pictures that were read so far. */
  publish(): void {
    clearTimeout(this.#publishTimer)
    this.#publishTimer = undefined
    const isCurrent = (picture: Picture) => this.#files.get(picture.name)?.picture === picture
    const remaining = this.index.pictures.filter(isCurrent)
    const added = this.#added.filter(isCurrent)
    this.#added = []
    if (added.length === 0 && remaining.length === this.index.count) return
    // Sorting two sorted parts is fast: the sort of V8 merges runs.
    this.index = new PictureIndex([...remaining, ...added.sort(compareByTypeAndName)].sort(compareByTypeAndName))
    this.#options.onPublish()
  }

  get hasDrawings() {
    return this.#credits.hasDrawings
  }

  get hasUnpublished() {
    return this.#publishTimer !== undefined
  }

  close(): void {
    clearTimeout(this.#publishTimer)
    this.#files.clear()
  }

  async #scan(): Promise<void> {
    const names = await listFileNames(this.path)
    const [present, added] = [new Set<string>(), new Set<string>()]
    for (const name of names) (this.#files.has(name) ? present : added).add(name)
    for (const name of this.#files.keys()) if (!present.has(name)) this.#remove(name)
    // Added and removed files are published before 100,000 others are compared.
    for (const group of [added, present]) {
      await this.#checkFiles([...group])
      this.publish()
    }
  }

  async #checkFiles(names: readonly string[]): Promise<void> {
    const startedAt = Date.now()
    const stamps = await readStamps(this.path, names)
    let compared = 0
    for (const name of names) {
      if (++compared % COMPARED_PER_TURN === 0) await setImmediate()
      const [stamp, record] = [stamps.get(name), this.#files.get(name)]
      if (!stamp) this.#remove(name)
      else if (!record || record.isTemporary || !isSameStamp(record.stamp, stamp)) this.#enqueue(name, stamp, startedAt)
    }
  }

  #enqueue(name: string, stamp: Stamp, foundAt: number): void {
    this.foundAt = Math.max(this.foundAt, foundAt)
    const { cache, queue } = this.#options
    // A known file that was just truncated can still have its old time, so only a new file can be read without waiting.
    const canReadNow = !this.#files.has(name) && Date.now() - stamp.mtimeMs > SETTLE_MS
    this.#files.set(name, { stamp })
    const cached = cache.take(`${this.path}/${name}`, stamp)
    if (cached && !cached.isCurrent) this.#useCredits(name, cached.result)
    if (cached?.isCurrent) this.#accept(name, stamp, cached.result)
    else if (canReadNow) queue.add(() => this.#read(name, stamp))
    else queue.addLater(SETTLE_MS, () => this.#readIfSettled(name, stamp))
  }

  async #readIfSettled(name: string, stamp: Stamp): Promise<void> {
    if (this.#files.get(name)?.stamp !== stamp) return
    const startedAt = Date.now()
    const now = await readStamp(`${this.path}/${name}`)
    if (!now) this.#remove(name)
    else if (isSameStamp(now, stamp)) await this.#read(name, stamp)
    else this.#enqueue(name, now, startedAt)
  }

  async #read(name: string, stamp: Stamp): Promise<void> {
    if (this.#files.get(name)?.stamp !== stamp) return
    const { cache, queue } = this.#options
    const reading = await readPictureFile(this.path, name, stamp, this.#label(name))
    if (!reading) {
      queue.addLater(SETTLE_MS, () => this.#readIfSettled(name, stamp))
      return
    }
    const entry = reading.problems?.length ? { ...reading, ...this.#lastGoodCredits.get(name) } : reading
    const isTemporary = entry.isTemporary ?? mayChangeUnnoticed(stamp.mtimeMs)
    if (!isTemporary) cache.put(`${this.path}/${name}`, stamp, entry)
    this.#accept(name, stamp, { ...entry, isTemporary })
  }

  #accept(name: string, stamp: Stamp, entry: FileEntry): void {
    const record = this.#files.get(name)
    if (record?.stamp !== stamp) return
    const { picture, problems = [], isTemporary = false } = entry
    if (picture) {
      const shown = this.#credits.creditOf(name)
      record.picture = new Picture(this.kind, name, stamp, picture, shown, this.#findColor)
      this.#added.push(record.picture)
    }
    record.problems = problems
    record.isTemporary = isTemporary
    problems.forEach(this.#options.onProblem)
    this.#useCredits(name, entry)
    this.#applyCredits(name)
    this.#publishTimer ??= setTimeout(() => this.publish(), computePublishDelayMs(this.index.count)).unref()
  }

  #useCredits(name: string, { credits, credit }: FileEntry): void {
    if (credits || credit) this.#lastGoodCredits.set(name, { credits, credit })
    if (credits) this.#setCredits(credits)
    if (credit) this.#credits.setSidecar(pictureOfSidecar(name), credit)
  }

  #remove(name: string): void {
    this.#files.delete(name)
    this.#lastGoodCredits.delete(name)
    if (name === CREDITS_FILE) this.#setCredits({})
    if (roleOf(name) === 'sidecar') this.#credits.setSidecar(pictureOfSidecar(name), undefined)
    this.#applyCredits(name)
  }

  #setCredits(credits: Credits): void {
    const { hasDrawings } = this.#credits
    this.#credits.setListed(credits)
    if (this.#credits.hasDrawings !== hasDrawings) this.#options.onPublish()
  }

  /** Updates the pictures whose credits a changed file contains. */
  #applyCredits(name: string): void {
    const role = roleOf(name)
    const names = role === 'credits' ? this.#files.keys() : role === 'sidecar' ? [pictureOfSidecar(name)] : []
    for (const each of names) this.#files.get(each)?.picture?.setCredit(this.#credits.creditOf(each))
    if (role !== 'picture') this.index.forgetTags()
  }

  #label(name: string): string {
    return `animals/${this.kind}/${name}`
  }
}
