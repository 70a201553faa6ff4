import { BlockList, isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * The address that identifies a client: an IPv4 address, or the /64 network of an IPv6 address. One IPv6 host usually
 * owns a whole /64 and could use a new address for every request.
 */
export function toClientAddress(address: string): string {
  if (!address.includes(':')) return address
  const [withoutZone = ''] = address.split('%')
  if (isIP(withoutZone) !== 6) return address
  const parsed = ipaddr.IPv6.parse(withoutZone)
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString()
  const network = [...parsed.parts.slice(0, 4), 0, 0, 0, 0]
  return `${new ipaddr.IPv6(network).toString()}/64`
}

/** Matches addresses, and networks as `toClientAddress` returns them, against a list of addresses and CIDRs. */
export function createAddressMatcher(entries: readonly string[]): (address: string) => boolean {
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
