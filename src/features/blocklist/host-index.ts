import { randomInt } from 'node:crypto'
import { isIPv4, isIPv6 } from 'node:net'
import { domainToASCII } from 'node:url'

/** Maximum length of a domain name (RFC 1035), without the last dot. */
export const MAX_NAME_LENGTH = 253

// A top-level domain starts with a letter: a name that ends in a number is an address or invalid.
const NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/

/** The domain name in lower case and punycode; undefined if it is not a domain name. */
export function normalizeName(text: string): string | undefined {
  const bare = text.endsWith('.') ? text.slice(0, -1) : text
  const name = /^[\x20-\x7e]*$/.test(bare) ? bare.toLowerCase() : domainToASCII(bare)
  return name.length <= MAX_NAME_LENGTH && NAME.test(name) ? name : undefined
}

/** The address as a URL parser writes it, without brackets; undefined if it is not an address. */
export function normalizeAddress(text: string): string | undefined {
  if (isIPv4(text)) return text
  const bare = text.replace(/^\[(.*)\]$/, '$1')
  return isIPv6(bare) ? URL.parse(`http://[${bare}]`)?.hostname.slice(1, -1) : undefined
}

/** A host of any spelling; empty if it cannot be a host. */
const normalizeHost = (text: string): string => normalizeAddress(text) ?? domainToASCII(text.replace(/\.$/, ''))

/**
 * All listed names in typed arrays, which a thread transfers without a copy. `names` holds each name as one length byte
 * and its bytes. `slots` is an open-addressed hash table of pairs: the hash of a name and its offset in `names` (0:
 * free slot). A name matches only if its bytes do, so a hash collision blocks nothing.
 */
export interface IndexParts {
  readonly slots: Uint32Array<ArrayBuffer>
  readonly names: Uint8Array<ArrayBuffer>
  readonly seed: number
  /** Number of allowed names; if it is 0, the search stops at the shortest listed name. */
  readonly exceptions: number
}

/** Bit of an offset: the name is an exception. */
const ALLOWED = 0x8000_0000
const OFFSET_BITS = 0x7fff_ffff
const NONE = 0
const NOT_NORMALIZED = -1
const DOT = 0x2e
const COLON = 0x3a
const BRACKET = 0x5b
const MIN_SLOTS = 1024
const INITIAL_NAME_BYTES = 32 * 1024
/** At 0.7, a search for an absent name ends after about six neighbouring slots. A fuller table saves little memory. */
const MAX_LOAD_FACTOR = 0.7

/** FNV-1a from the last character to the first: one pass gives the hashes of all parent domains. */
const addToHash = (hash: number, character: number) => Math.imul(hash ^ character, 0x0100_0193)

/** The finalizer of MurmurHash3: every bit affects those that select a slot. */
function finishHash(hash: number): number {
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

  has(host: string): boolean {
    const offset = this.#find(host)
    return offset !== NONE && !(offset & ALLOWED)
  }

  /** Whether an exception names the host or one of its parent domains. */
  allows(host: string): boolean {
    return this.#exceptions > 0 && (this.#find(host) & ALLOWED) !== 0
  }

  entryFor(host: string): string | undefined {
    const offset = this.#find(host)
    if (offset === NONE || offset & ALLOWED) return undefined
    const start = offset + 1
    return String.fromCharCode(...this.#names.subarray(start, start + this.#names[offset]!))
  }

  /** The offset of the shortest listed name, or of an exception, with its bit. */
  #find(host: string): number {
    const offset = this.#search(host, false)
    return offset === NOT_NORMALIZED ? this.#search(normalizeHost(host), true) : offset
  }

  /** Label by label from the right, without creating strings. */
  #search(host: string, isNormalized: boolean): number {
    const end = host.endsWith('.') ? host.length - 1 : host.length
    const isAddress = endsInNumber(host, end)
    let hash = this.#seed
    let found = NONE
    for (let at = end - 1; at >= -1; at -= 1) {
      const character = at < 0 ? DOT : host.charCodeAt(at)
      if (character === DOT && (at < 0 || !isAddress)) {
        const offset = this.#findOffset(finishHash(hash), host, at + 1, end)
        if (offset & ALLOWED) return offset
        if (offset !== NONE && found === NONE) found = offset
        if (found !== NONE && this.#exceptions === 0) return found
      }
      if (!isNormalized && needsNormalizing(character)) return NOT_NORMALIZED
      hash = addToHash(hash, character)
    }
    return found
  }

  #findOffset(hash: number, host: string, start: number, end: number): number {
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const offset = this.#slots[2 * slot + 1]!
      if (offset === NONE) return NONE
      if (this.#slots[2 * slot] === hash && this.#isAt(offset & OFFSET_BITS, host, start, end)) return offset
    }
  }

  #isAt(offset: number, host: string, start: number, end: number): boolean {
    if (this.#names[offset] !== end - start) return false
    for (let at = start, other = offset + 1; at < end; at += 1, other += 1) {
      if (host.charCodeAt(at) !== this.#names[other]) return false
    }
    return true
  }
}

/** Capitals, other scripts and IPv6 addresses have several spellings. A URL parser has already normalised its hosts. */
const needsNormalizing = (character: number) =>
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

/** Collects names. Each must be normalised ASCII of at most 253 bytes. */
export class IndexBuilder {
  // Random: the author of a list cannot choose names whose hashes collide (hash flooding).
  readonly #seed = randomInt(2 ** 32)
  #slots: Uint32Array<ArrayBuffer>
  // Offset 0 means a free slot.
  #names = new Uint8Array(INITIAL_NAME_BYTES)
  #usedBytes = 1
  #count = 0
  #exceptions = 0

  /** A good estimate of the number of names avoids growing the table. */
  constructor(expectedNames: number) {
    const slots = 2 ** Math.ceil(Math.log2(Math.max(MIN_SLOTS, expectedNames / MAX_LOAD_FACTOR)))
    this.#slots = new Uint32Array(2 * slots)
  }

  /** Distinct names that are blocked. */
  get entries(): number {
    return this.#count - this.#exceptions
  }

  add(bytes: Uint8Array, start: number, end: number, isAllowed: boolean): void {
    let hash = this.#seed
    for (let at = end - 1; at >= start; at -= 1) hash = addToHash(hash, bytes[at]!)
    hash = finishHash(hash)
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
    slots[2 * slot + 1] = this.#storeName(bytes, start, end) + (isAllowed ? ALLOWED : 0)
    this.#count += 1
    if (isAllowed) this.#exceptions += 1
    if (this.#count > (slots.length / 2) * MAX_LOAD_FACTOR) this.#growSlots()
  }

  /** Transfers the arrays; the builder cannot be used afterwards. */
  finish(): IndexParts {
    const names = new Uint8Array(this.#names.buffer.transfer(this.#usedBytes))
    return { slots: this.#slots, names, seed: this.#seed, exceptions: this.#exceptions }
  }

  #storeName(bytes: Uint8Array, start: number, end: number): number {
    const offset = this.#usedBytes
    const after = offset + 1 + end - start
    if (after > this.#names.length) this.#names = new Uint8Array(this.#names.buffer.transfer(this.#names.length * 2))
    const names = this.#names
    names[offset] = end - start
    for (let at = start, to = offset + 1; at < end; at += 1, to += 1) names[to] = bytes[at]!
    this.#usedBytes = after
    return offset
  }

  #isAt(offset: number, bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#names[offset] !== end - start) return false
    for (let at = start, other = offset + 1; at < end; at += 1, other += 1) {
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
