import { setImmediate } from 'node:timers/promises'
import { CreditBook } from './credit-book.ts'
import { CREDITS_FILE } from './credits.ts'
import { namesIn, stampsOf } from './folder-files.ts'
import type { Jobs } from './jobs.ts'
import type { Memory } from './memory.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { Picture } from './picture.ts'
import { examine, type Found, pictureOfSidecar, roleOf } from './read-entry.ts'
import { byTypeAndName, Shelf } from './shelf.ts'
import { isSameStamp, isSettled, SETTLED_MS, type Stamp, stampOf } from './stamp.ts'
import type { Problem } from './types.ts'

/** While many files wait to be read: the more there are, the more it costs to put them in order. */
const publishMs = (count: number) => 500 + count / 50
const PATROL_FILES = 500
/** Requests are answered in between. */
const COMPARED_A_TURN = 1000

interface Known {
  stamp: Stamp
  picture?: Picture
  problems?: Problem[]
  /** To be examined again at the next scan though it did not change. */
  again?: boolean
}

interface Surroundings {
  jobs: Jobs
  memory: Memory<Found>
  published(): void
  noticed(problem: Problem): void
}

/** The folder of one kind: which pictures it has, and what is wrong in it. */
export class PictureFolder {
  readonly kind: string
  readonly path: string
  shelf = new Shelf([])
  /** Compares the folder with what is known of it. */
  readonly scan = oneAtATime(() => this.#compare())
  readonly #around: Surroundings
  readonly #known = new Map<string, Known>()
  readonly #credits: CreditBook
  #added: Picture[] = []
  #patrolled = 0
  #publishTimer: NodeJS.Timeout | undefined

  constructor(kind: string, path: string, around: Surroundings) {
    this.kind = kind
    this.path = path
    this.#around = around
    this.#credits = new CreditBook(kind)
  }

  /** The picture under a public or an original name. */
  find(file: string): Picture | undefined {
    const [, stem, id, extension] = /^(.*)-([0-9a-f]{12})(\.[^.]+)$/s.exec(file) ?? []
    const named = id && this.#known.get(`${stem}${extension}`)?.picture
    return named && named.facts.id === id ? named : this.#known.get(file)?.picture
  }

  get problems(): Problem[] {
    const found = [...this.#known.values()].flatMap(({ problems = [] }) => problems)
    return [...found, ...this.#credits.problems(this.#label(CREDITS_FILE), (name) => this.#known.has(name))]
  }

  /** Looks at the files that are said to have changed: among 100,000 others that is much sooner than a scan. */
  async lookAt(names: readonly string[]): Promise<void> {
    await this.#meetChanged(names.filter((name) => !name.startsWith('.') && roleOf(name) !== 'note'))
    this.publish()
  }

  /** Looks at a few files, others each time: on folders that tell nothing of their changes these are found late, but found. */
  async patrol(): Promise<void> {
    const names = [...this.#known.keys()].slice(this.#patrolled, this.#patrolled + PATROL_FILES)
    this.#patrolled = names.length < PATROL_FILES ? 0 : this.#patrolled + PATROL_FILES
    const stamps = await stampsOf(this.path, names)
    const changed = names.some((name) => {
      const [stamp, known] = [stamps.get(name), this.#known.get(name)]
      return known && !(stamp && isSameStamp(stamp, known.stamp))
    })
    if (changed) await this.scan()
  }

  /** Makes what was found by now the collection that is served. */
  publish(): void {
    clearTimeout(this.#publishTimer)
    this.#publishTimer = undefined
    const isKnown = (picture: Picture) => this.#known.get(picture.name)?.picture === picture
    const kept = this.shelf.pictures.filter(isKnown)
    const added = this.#added.filter(isKnown)
    this.#added = []
    if (added.length === 0 && kept.length === this.shelf.count) return
    this.shelf = new Shelf([...kept, ...added.sort(byTypeAndName)].sort(byTypeAndName))
    this.#around.published()
  }

  get isDirty() {
    return this.#publishTimer !== undefined
  }

  close(): void {
    clearTimeout(this.#publishTimer)
    this.#known.clear()
  }

  async #compare(): Promise<void> {
    const names = await namesIn(this.path)
    const [known, added] = [new Set<string>(), new Set<string>()]
    for (const name of names) (this.#known.has(name) ? known : added).add(name)
    for (const name of this.#known.keys()) if (!known.has(name)) this.#forget(name)
    // What came and what went shows before 100,000 others are asked whether they changed.
    for (const some of [added, known]) {
      await this.#meetChanged([...some])
      this.publish()
    }
  }

  async #meetChanged(names: readonly string[]): Promise<void> {
    const stamps = await stampsOf(this.path, names)
    let compared = 0
    for (const name of names) {
      if (++compared % COMPARED_A_TURN === 0) await setImmediate()
      const [stamp, known] = [stamps.get(name), this.#known.get(name)]
      if (!stamp) this.#forget(name)
      else if (!known || known.again || !isSameStamp(known.stamp, stamp)) this.#meet(name, stamp)
    }
  }

  #meet(name: string, stamp: Stamp): void {
    // Truncated a moment ago, a file can still have the time of what it held before.
    const isWhole = !this.#known.has(name) && isSettled(stamp)
    this.#known.set(name, { stamp })
    const remembered = this.#around.memory.take(`${this.path}/${name}`, stamp)
    if (remembered) this.#accept(name, stamp, remembered)
    else if (isWhole) this.#around.jobs.add(() => this.#examine(name, stamp))
    else this.#around.jobs.addLater(SETTLED_MS, () => this.#meetAgain(name, stamp))
  }

  /** A file that did not change for a while is whole as far as anybody can tell from outside. */
  async #meetAgain(name: string, stamp: Stamp): Promise<void> {
    if (this.#known.get(name)?.stamp !== stamp) return
    const now = await stampOf(`${this.path}/${name}`)
    if (!now) this.#forget(name)
    else if (isSameStamp(now, stamp)) await this.#examine(name, stamp)
    else this.#meet(name, now)
  }

  async #examine(name: string, stamp: Stamp): Promise<void> {
    if (this.#known.get(name)?.stamp !== stamp) return
    const found = await examine(this.path, name, stamp, this.#label(name))
    if (!found) {
      this.#around.jobs.addLater(SETTLED_MS, () => this.#meetAgain(name, stamp))
      return
    }
    if (!('mayPass' in found)) this.#around.memory.put(`${this.path}/${name}`, stamp, found)
    this.#accept(name, stamp, found)
  }

  #accept(name: string, stamp: Stamp, found: Found): void {
    const known = this.#known.get(name)
    if (known?.stamp !== stamp) return
    if ('facts' in found) {
      known.picture = new Picture(this.kind, name, stamp, found.facts)
      known.picture.credit = this.#credits.jsonOf(name)
      this.#added.push(known.picture)
    } else {
      known.problems = found.problems
      known.again = 'mayPass' in found
      found.problems.forEach(this.#around.noticed)
      if ('credits' in found) this.#credits.list(found.credits)
      if ('credit' in found) this.#credits.sidecar(pictureOfSidecar(name), found.credit)
      this.#credit(name)
    }
    this.#publishTimer ??= setTimeout(() => this.publish(), publishMs(this.shelf.count)).unref()
  }

  #forget(name: string): void {
    this.#known.delete(name)
    if (name === CREDITS_FILE) this.#credits.list({})
    if (roleOf(name) === 'sidecar') this.#credits.sidecar(pictureOfSidecar(name), undefined)
    this.#credit(name)
  }

  /** Tells the pictures what a file of credits says now. */
  #credit(name: string): void {
    const role = roleOf(name)
    const told = role === 'credits' ? this.#known.keys() : role === 'sidecar' ? [pictureOfSidecar(name)] : []
    for (const picture of told) {
      const known = this.#known.get(picture)?.picture
      if (known) known.credit = this.#credits.jsonOf(picture)
    }
  }

  #label(name: string): string {
    return `animals/${this.kind}/${name}`
  }
}
