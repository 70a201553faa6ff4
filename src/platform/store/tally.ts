import type { DownloadRow } from './store.ts'

/** Far more than an application has releases; it bounds the memory while the store is away. */
const MAX_KEYS = 50_000

type Row = { -readonly [Name in keyof DownloadRow]: DownloadRow[Name] }

/** Counts by application, version and day: as large as there are keys, however many downloads there were. */
export class Tally {
  readonly #rows = new Map<string, Row>()
  #total = 0

  get total(): number {
    return this.#total
  }

  /** False where there are too many keys to take another one. */
  add(application: string, version: string, day: string, count: number): boolean {
    const key = `${application}\n${version}\n${day}`
    const row = this.#rows.get(key)
    if (row) row.count += count
    else if (this.#rows.size < MAX_KEYS) this.#rows.set(key, { application, version, day, count })
    else return false
    this.#total += count
    return true
  }

  addAll(rows: Iterable<DownloadRow>): void {
    for (const { application, version, day, count } of rows) this.add(application, version, day, count)
  }

  rows(): DownloadRow[] {
    return [...this.#rows.values()]
  }
}
