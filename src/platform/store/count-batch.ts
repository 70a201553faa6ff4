import { crc32 } from 'node:zlib'
import type { NumberedBatch } from './counts.ts'
import type { DownloadBatch, DownloadRow } from './store.ts'

// The bytes of a batch in the journal. The check of an entry includes the header, so that entries of an older batch in
// the same bytes are not read. The count of an entry is overwritten in place. Count and check are 8 aligned bytes, which
// are never written in part when the process is killed.
//
// header: 8 bytes format, 36 bytes writer (a UUID), 4 bytes number, 4 bytes CRC-32 of these, 12 bytes unused
// entry: 4 bytes count, 4 bytes CRC-32 of header check, names and count, 2 bytes length of the names, the names
const FORMAT = 'counts01'
const NUMBER_AT = 44
const CHECK_AT = 48
export const HEADER_BYTES = 64
const NAMES_AT = 8
const MAX_COUNT = 2 ** 32 - 1
/** Entries start at multiples of this. */
const ALIGNMENT = 8
/** More than an entry has. Bounds the time to search for the next entry after a damaged one. */
const MAX_SEARCHED_NAMES = 1024

type Entry = { -readonly [Name in keyof DownloadRow]: DownloadRow[Name] } & {
  readonly at: number
  readonly end: number
  isChanged: boolean
}

/**
 * The counts of one batch by application, version and day, and their bytes. Its size depends on the number of versions
 * and days, not on the number of downloads.
 */
export class CountBatch {
  readonly bytes: Buffer
  readonly writer: string
  readonly number: number
  readonly #entries = new Map<string, Entry>()
  readonly #headerCheck: number
  #changed: Entry[] = []
  #end = HEADER_BYTES
  total = 0
  /** Entries between two others are damaged: their counts are lost. */
  isIncomplete = false

  private constructor(bytes: Buffer, writer: string, number: number) {
    this.bytes = bytes
    this.writer = writer
    this.number = number
    this.#headerCheck = bytes.readUInt32LE(CHECK_AT)
  }

  /** Replaces whatever the bytes hold. */
  static begin(bytes: Buffer, writer: string, number: number): CountBatch {
    bytes.write(FORMAT + writer, 'latin1')
    bytes.writeUInt32LE(number, NUMBER_AT)
    bytes.writeUInt32LE(crc32(bytes.subarray(0, CHECK_AT)), CHECK_AT)
    return new CountBatch(bytes, writer, number)
  }

  static isDamaged(this: void, bytes: Buffer): boolean {
    return hasHeader(bytes) ? CountBatch.read(bytes)?.isIncomplete === true : bytes.readUInt32LE(0) !== 0
  }

  /** The number of a batch that was erased, because the store had confirmed it. Undefined: there is none. */
  static readErased(this: void, bytes: Buffer): NumberedBatch | undefined {
    const header = Buffer.from(bytes.subarray(0, HEADER_BYTES))
    if (header.readUInt32LE(0) !== 0) return undefined
    header.write(FORMAT, 'latin1')
    if (!hasHeader(header)) return undefined
    return { writer: header.toString('latin1', FORMAT.length, NUMBER_AT), number: header.readUInt32LE(NUMBER_AT) }
  }

  /** Leaves out damaged entries. Undefined if the bytes hold no counts. */
  static read(this: void, bytes: Buffer): CountBatch | undefined {
    if (!hasHeader(bytes)) return undefined
    const writer = bytes.toString('latin1', FORMAT.length, NUMBER_AT)
    const batch = new CountBatch(bytes, writer, bytes.readUInt32LE(NUMBER_AT))
    do while (batch.#readEntry());
    while (batch.#skipDamage())
    return batch.total > 0 ? batch : undefined
  }

  /** Counts one download. Returns false if there is no space for another version or day. */
  add(application: string, version: string, day: string): boolean {
    const names = `${application}\n${version}\n${day}`
    const entry = this.#entries.get(names) ?? this.#addEntry(names)
    if (!entry || entry.count === MAX_COUNT) return false
    entry.count++
    this.total++
    if (!entry.isChanged) this.#changed.push(entry)
    entry.isChanged = true
    return true
  }

  toDownloadBatch(): DownloadBatch {
    const rows = [...this.#entries.values()].map(({ application, version, day, count }) => {
      return { application, version, day, count }
    })
    return { writer: this.writer, number: this.number, rows }
  }

  header(): Buffer {
    return this.bytes.subarray(0, HEADER_BYTES)
  }

  /** Makes the bytes hold no batch. Returns the part to write. */
  erase(): Buffer {
    return this.bytes.subarray(0, FORMAT.length).fill(0)
  }

  /** The bytes that have changed since the last call. Empty if nothing was counted. */
  takeChanges(): Buffer {
    let [start, end] = [this.#end, 0]
    for (const entry of this.#changed) {
      this.bytes.writeUInt32LE(entry.count, entry.at)
      this.bytes.writeUInt32LE(this.#computeCheck(entry.at), entry.at + 4)
      entry.isChanged = false
      start = Math.min(start, entry.at)
      end = Math.max(end, entry.end)
    }
    this.#changed = []
    return this.bytes.subarray(start, Math.max(start, end))
  }

  #addEntry(names: string): Entry | undefined {
    const at = this.#end
    const length = Buffer.byteLength(names)
    if (at + NAMES_AT + 2 + length > this.bytes.length) return undefined
    this.bytes.writeUInt32LE(0, at)
    this.bytes.writeUInt16LE(length, at + NAMES_AT)
    this.bytes.write(names, at + NAMES_AT + 2)
    return this.#keepEntry(at)
  }

  /** Returns false if there is no complete entry after the last one. */
  #readEntry(): boolean {
    const at = this.#end
    const isComplete =
      at + NAMES_AT + 2 <= this.bytes.length && at + NAMES_AT + 2 + this.#readLength(at) <= this.bytes.length
    if (!isComplete || this.bytes.readUInt32LE(at + 4) !== this.#computeCheck(at)) return false
    this.total += this.#keepEntry(at).count
    return true
  }

  /** Continues at the next entry that is complete. Returns false if there is none. */
  #skipDamage(): boolean {
    for (let at = this.#end + ALIGNMENT; at + NAMES_AT + 2 <= this.bytes.length; at += ALIGNMENT) {
      const isPossible = this.bytes.readUInt32LE(at) > 0 && this.#readLength(at) <= MAX_SEARCHED_NAMES
      if (!isPossible || this.bytes.readUInt32LE(at + 4) !== this.#computeCheck(at)) continue
      this.#end = at
      this.isIncomplete = true
      return true
    }
    return false
  }

  #keepEntry(at: number): Entry {
    const end = at + NAMES_AT + 2 + this.#readLength(at)
    const names = this.bytes.toString('utf8', at + NAMES_AT + 2, end)
    const [application = '', version = '', day = ''] = names.split('\n')
    const entry = { application, version, day, count: this.bytes.readUInt32LE(at), at, end, isChanged: false }
    this.#entries.set(names, entry)
    this.#end = Math.ceil(end / ALIGNMENT) * ALIGNMENT
    return entry
  }

  #readLength(at: number): number {
    return this.bytes.readUInt16LE(at + NAMES_AT)
  }

  #computeCheck(at: number): number {
    const names = this.bytes.subarray(at + NAMES_AT, at + NAMES_AT + 2 + this.#readLength(at))
    return crc32(this.bytes.subarray(at, at + 4), crc32(names, this.#headerCheck))
  }
}

const hasHeader = (bytes: Buffer) =>
  bytes.toString('latin1', 0, FORMAT.length) === FORMAT &&
  bytes.readUInt32LE(CHECK_AT) === crc32(bytes.subarray(0, CHECK_AT))
