import { listNetworks } from '../../platform/net/index.ts'
import type { Clock } from '../../platform/store/index.ts'

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
    /** False if the site of the address has had its bans of the day: its attacks are refused, but not banned. */
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
