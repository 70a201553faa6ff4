import { BlockList, isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * What one caller is known by: an IPv4 address, or the /64 of an IPv6 one, of which a caller has as many addresses as it
 * likes.
 */
export function callerOf(address: string): string {
  if (!address.includes(':')) return address
  const [bare = ''] = address.split('%')
  if (isIP(bare) !== 6) return address
  const parsed = ipaddr.IPv6.parse(bare)
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString()
  const network = [...parsed.parts.slice(0, 4), 0, 0, 0, 0]
  return `${new ipaddr.IPv6(network).toString()}/64`
}

/** Tests addresses, and networks as `callerOf` writes them, against a list of addresses and CIDRs. */
export function createAddressTest(entries: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (address) => {
    const [plain = ''] = address.split('/')
    const family = isIP(plain)
    return family !== 0 && list.check(plain, family === 6 ? 'ipv6' : 'ipv4')
  }
}
