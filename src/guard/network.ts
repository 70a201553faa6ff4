import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * What counts as one caller: an IPv4 address, or the /64 of an IPv6 address. A single machine has a whole /64 to choose
 * addresses from, and changes them by itself.
 */
export function networkOf(address: string): string {
  if (isIPv4(address) || !isIPv6(address)) return address
  const { parts } = ipaddr.IPv6.parse(address)
  return `${parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}
