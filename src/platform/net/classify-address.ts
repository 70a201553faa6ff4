import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { globalUnicast, specialIPv4, specialIPv6, specialNames } from './special-ranges.ts'

type Range = readonly [network: ipaddr.IPv4 | ipaddr.IPv6, bits: number]

const parsed = (ranges: readonly [string, string][]) =>
  ranges.map(([range, what]) => ({ range: ipaddr.parseCIDR(range) as Range, what }))

const special = { ipv4: parsed(specialIPv4), ipv6: parsed(specialIPv6) }
const globalRange = ipaddr.IPv6.parseCIDR(globalUnicast)

/**
 * 'public', or what else the address is. Only what `net.connect` would dial as a literal is an address: ipaddr.js also
 * reads "0177.1", which the socket would hand to DNS instead, and a zone ("fe80::1%eth0") names a link of this machine.
 */
export function judgeAddress(text: string): string {
  if (isIP(text) === 0 || text.includes('%')) return 'not an address'
  const address = ipaddr.parse(text)
  const found = special[address.kind()].find(({ range }) => address.match(range as [ipaddr.IPv4, number]))
  if (found) return found.what
  return address instanceof ipaddr.IPv6 && !address.match(globalRange) ? 'not global unicast' : 'public'
}

/** A name that nothing is ever called (RFC 6761, 6.4): not forbidden, only not there. */
export const isNowhere = (name: string) => /(?:^|\.)invalid$/.test(name)

/** A name that means an inside host wherever it is asked, such as metadata.google.internal. */
export const isSpecialName = (name: string) =>
  specialNames.some((special) => name === special || name.endsWith(`.${special}`))
