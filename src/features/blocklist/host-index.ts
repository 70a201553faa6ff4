import { settleHost } from './name.ts'

/**
 * All listed names in a few typed arrays, which cross from a worker without being copied. `names` holds the bytes of
 * each name after its length; `slots` is an open-addressed table of pairs: the hash of a name, and where it is in `names`
 * (0: free). Hashes only find a name, its bytes decide: nothing is blocked by a collision.
 */
export interface IndexParts {
  readonly slots: Uint32Array<ArrayBuffer>
  readonly names: Uint8Array<ArrayBuffer>
  readonly seed: number
  /** Names that are let through; with none of them, the shortest listed name decides. */
  readonly exceptions: number
}

/** In the place of a name: it is an exception. */
export const ALLOWED = 0x8000_0000
const PLACE = 0x7fff_ffff
const NONE = 0
const UNSETTLED = -1
const DOT = 0x2e
const COLON = 0x3a
const BRACKET = 0x5b

/** FNV-1a, from the last character to the first, so that one pass gives the hash of every parent domain on the way. */
export const step = (hash: number, character: number) => Math.imul(hash ^ character, 0x0100_0193)

/** The finish of MurmurHash3: spreads every bit over those that choose a slot. */
export function finish(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

export class HostIndex {
  readonly #slots: Uint32Array
  readonly #names: Uint8Array
  readonly #seed: number
  readonly #exceptions: number
  readonly #mask: number

  constructor({ slots, names, seed, exceptions }: IndexParts) {
    this.#slots = slots
    this.#names = names
    this.#seed = seed
    this.#exceptions = exceptions
    this.#mask = slots.length / 2 - 1
  }

  /** Of the host itself or of a parent domain. */
  has(host: string): boolean {
    return this.#find(host) !== NONE
  }

  /** The entry because of which the host is blocked. */
  entryFor(host: string): string | undefined {
    const place = this.#find(host)
    if (place === NONE) return undefined
    const start = place + 1
    return String.fromCharCode(...this.#names.subarray(start, start + this.#names[place]!))
  }

  #find(host: string): number {
    const place = this.#walk(host, false)
    return place === UNSETTLED ? this.#walk(settleHost(host), true) : place
  }

  /** Label by label from the right, without making a string. */
  #walk(host: string, isSettled: boolean): number {
    const end = host.endsWith('.') ? host.length - 1 : host.length
    // An address has no parent domains.
    const isAddress = endsInNumber(host, end)
    let hash = this.#seed
    let found = NONE
    for (let at = end - 1; at >= -1; at -= 1) {
      const character = at < 0 ? DOT : host.charCodeAt(at)
      if (character === DOT && (at < 0 || !isAddress)) {
        const place = this.#placeOf(finish(hash), host, at + 1, end)
        if (place & ALLOWED) return NONE
        if (place !== NONE && found === NONE) found = place
        if (found !== NONE && this.#exceptions === 0) return found
      }
      if (!isSettled && needsSettling(character)) return UNSETTLED
      hash = step(hash, character)
    }
    return found
  }

  #placeOf(hash: number, host: string, start: number, end: number): number {
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const place = this.#slots[2 * slot + 1]!
      if (place === NONE) return NONE
      if (this.#slots[2 * slot] === hash && this.#isAt(place & PLACE, host, start, end)) return place
    }
  }

  #isAt(place: number, host: string, start: number, end: number): boolean {
    if (this.#names[place] !== end - start) return false
    for (let at = start, other = place + 1; at < end; at += 1, other += 1) {
      if (host.charCodeAt(at) !== this.#names[other]) return false
    }
    return true
  }
}

/** Capitals, other scripts and IPv6 addresses have spellings; what comes out of a URL parser passes at once. */
const needsSettling = (character: number) =>
  character > 0x7e || character === COLON || (character >= 0x41 && character <= BRACKET)

/** An address has no parent domains. */
function endsInNumber(host: string, end: number): boolean {
  for (let at = end - 1; at >= 0; at -= 1) {
    const character = host.charCodeAt(at)
    if (character === DOT) return at < end - 1
    if (character < 0x30 || character > 0x39) return false
  }
  return end > 0
}
