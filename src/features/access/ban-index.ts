import { isIP } from 'node:net'
import type { Config } from '../../config/config.ts'
import { listNetworks, parseNetwork, readNatAddresses, toClientAddress, toNetwork } from '../../platform/net/index.ts'
import type { Ban, Clock } from '../../platform/store/index.ts'

/** How long an operator can ban. */
export const BAN_HOURS = { minimum: 1, maximum: 365 * 24 }

/** All clients may share the address of a proxy, or of an address translation: a ban would hit all of them. */
export const readBanOptions = (config: Config) => ({
  exempt: config.BAN_EXEMPT,
  readProxies: () => [...config.TRUST_PROXY, ...readNatAddresses()],
  wrongTokens: config.BAN_WRONG_TOKENS,
})

export const toBanAddress = (address: string) => parseNetwork(address) ?? toClientAddress(address)

/** Maximum number of cached results. A full cache is cleared, so that a flood of addresses cannot fill the memory. */
const MAX_CACHED = 10_000

/**
 * Finds the ban of an address among any number of banned addresses and networks. Every request is checked, so results
 * are cached until a ban changes: a request costs one lookup and does not parse its address.
 */
export class BanIndex {
  readonly #bans = new Map<string, Ban>()
  /** The prefix lengths of banned networks. A length stays when its last ban ends: there are few. */
  readonly #prefixes = { ipv4: new Set<number>(), ipv6: new Set<number>() }
  readonly #cache = new Map<string, Ban | 'none'>()

  /** The ban that ends last, of those on the address and on its networks. It may have ended. */
  find(address: string): Ban | undefined {
    if (this.#bans.size === 0) return undefined
    let found = this.#cache.get(address)
    if (found === undefined) {
      found = this.#search(address) ?? 'none'
      if (this.#cache.size >= MAX_CACHED) this.#cache.clear()
      this.#cache.set(address, found)
    }
    return found === 'none' ? undefined : found
  }

  set(address: string, ban: Ban): void {
    const [, bits] = address.split('/')
    if (bits !== undefined) this.#prefixes[address.includes(':') ? 'ipv6' : 'ipv4'].add(Number(bits))
    this.#bans.set(address, ban)
    this.#clearCache()
  }

  delete(address: string): void {
    if (this.#bans.delete(address)) this.#clearCache()
  }

  clear(): void {
    this.#bans.clear()
    this.#clearCache()
  }

  values() {
    return this.#bans.values()
  }

  #search(address: string): Ban | undefined {
    const client = toClientAddress(address)
    const [plain = ''] = client.split('/')
    const family = isIP(plain)
    const prefixes = family === 0 ? [] : this.#prefixes[family === 6 ? 'ipv6' : 'ipv4']
    let found = this.#bans.get(client)
    for (const bits of prefixes) {
      const ban = this.#bans.get(toNetwork(plain, bits))
      if (ban && ban.until > (found?.until ?? 0)) found = ban
    }
    return found
  }

  /** Clearing an empty map allocates memory, and many bans are read at the start. */
  #clearCache(): void {
    if (this.#cache.size > 0) this.#cache.clear()
  }
}

/**
 * Automatic bans of one IPv6 site (/48) per day. It has 65,536 networks, so one attacker could have all other automatic
 * bans evicted. An IPv4 site (/24) never has that many addresses.
 */
const MAX_PER_SITE = 2000
/** Bounds the memory. */
const MAX_SITES = 10_000
const DAY_MS = 86_400_000

export function createSiteLimit(clock: Clock) {
  const counts = new Map<string, number>()
  let startedAt = 0
  return {
    /** False if the site has reached its automatic bans of the day: its attacks are refused, but cause no ban. */
    take(address: string): boolean {
      const now = clock()
      if (Math.abs(now - startedAt) >= DAY_MS || counts.size >= MAX_SITES) {
        counts.clear()
        startedAt = now
      }
      const [site = ''] = listNetworks(address)
      const count = (counts.get(site) ?? 0) + 1
      counts.set(site, count)
      return count <= MAX_PER_SITE
    },
  }
}

/** A ban from the future was made while a clock was ahead. It lasts as long as it was meant to. */
export const shorten = (ban: Ban, now: number): Ban =>
  ban.at > now ? { ...ban, at: now, until: now + ban.until - ban.at } : ban
