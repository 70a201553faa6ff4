import { randomInt } from 'node:crypto'
import { ALLOWED, finish, type IndexParts, step } from './host-index.ts'

const FEWEST_SLOTS = 1024
const FIRST_BYTES = 32 * 1024
/** At 0.7 an absent name is missed after about six slots, which are neighbours; a fuller table saves little. */
const FULLEST = 0.7

/** Gathers names; each must be settled, in ASCII, and at most 253 bytes long. */
export class IndexBuilder {
  // Drawn anew each time: whoever writes a list cannot make its names fall on one slot.
  readonly #seed = randomInt(2 ** 32)
  #slots: Uint32Array<ArrayBuffer>
  // Place 0 means none.
  #names = new Uint8Array(FIRST_BYTES)
  #used = 1
  #count = 0
  #exceptions = 0

  /** With a guess of how many come, the table need not be laid out anew again and again. */
  constructor(expected: number) {
    const slots = 2 ** Math.ceil(Math.log2(Math.max(FEWEST_SLOTS, expected / FULLEST)))
    this.#slots = new Uint32Array(2 * slots)
  }

  /** Distinct names that are blocked. */
  get entries(): number {
    return this.#count - this.#exceptions
  }

  add(bytes: Uint8Array, start: number, end: number, isAllowed: boolean): void {
    let hash = this.#seed
    for (let at = end - 1; at >= start; at -= 1) hash = step(hash, bytes[at]!)
    hash = finish(hash)
    const slots = this.#slots
    const mask = slots.length / 2 - 1
    let slot = hash & mask
    for (; slots[2 * slot + 1] !== 0; slot = (slot + 1) & mask) {
      if (slots[2 * slot] !== hash || !this.#isAt(slots[2 * slot + 1]! % ALLOWED, bytes, start, end)) continue
      if (isAllowed && slots[2 * slot + 1]! < ALLOWED) {
        slots[2 * slot + 1]! += ALLOWED
        this.#exceptions += 1
      }
      return
    }
    slots[2 * slot] = hash
    slots[2 * slot + 1] = this.#keep(bytes, start, end) + (isAllowed ? ALLOWED : 0)
    this.#count += 1
    if (isAllowed) this.#exceptions += 1
    if (this.#count > (slots.length / 2) * FULLEST) this.#growSlots()
  }

  /** Ends the gathering: the arrays are handed over. */
  finish(): IndexParts {
    const names = new Uint8Array(this.#names.buffer.transfer(this.#used))
    return { slots: this.#slots, names, seed: this.#seed, exceptions: this.#exceptions }
  }

  #keep(bytes: Uint8Array, start: number, end: number): number {
    const place = this.#used
    const after = place + 1 + end - start
    if (after > this.#names.length) this.#names = new Uint8Array(this.#names.buffer.transfer(this.#names.length * 2))
    const names = this.#names
    names[place] = end - start
    for (let at = start, to = place + 1; at < end; at += 1, to += 1) names[to] = bytes[at]!
    this.#used = after
    return place
  }

  #isAt(place: number, bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#names[place] !== end - start) return false
    for (let at = start, other = place + 1; at < end; at += 1, other += 1) {
      if (bytes[at] !== this.#names[other]) return false
    }
    return true
  }

  #growSlots(): void {
    const old = this.#slots
    const slots = new Uint32Array(old.length * 2)
    const mask = slots.length / 2 - 1
    for (let from = 0; from < old.length; from += 2) {
      if (old[from + 1] === 0) continue
      let slot = old[from]! & mask
      while (slots[2 * slot + 1] !== 0) slot = (slot + 1) & mask
      slots[2 * slot] = old[from]!
      slots[2 * slot + 1] = old[from + 1]!
    }
    this.#slots = slots
  }
}
