import { BlockList, isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { classifyAddress } from './classify-address.ts'

const MAPPED_PREFIX = '::ffff:'
const TRANSLATED_PREFIX = '64:ff9b::'

/**
 * The IPv4 address inside an IPv6 address of a client: IPv4-mapped on a socket for both families, or translated for a
 * server without IPv4 (RFC 7755), where all IPv4 clients share one /64. Others are returned unchanged. So are translated
 * non-public ones: they must not look like this machine or its network.
 */
export function unwrapIpv4(address: string): string {
  if (address.startsWith(MAPPED_PREFIX) && address.includes('.')) return address.slice(MAPPED_PREFIX.length)
  if (!address.startsWith(TRANSLATED_PREFIX) || isIP(address) === 0) return address
  const ipv4 = ipaddr.IPv6.parse(address).toByteArray().slice(-4).join('.')
  return classifyAddress(ipv4) === 'public' ? ipv4 : address
}

/**
 * The address that identifies a client: an IPv4 address, or the /64 network of an IPv6 address. One IPv6 host usually
 * owns a whole /64 and could use a new address for every request.
 */
export function toClientAddress(address: string): string {
  if (!address.includes(':')) return address
  const [withoutZone = ''] = unwrapIpv4(address).split('%')
  if (isIP(withoutZone) !== 6) return withoutZone
  const parsed = ipaddr.IPv6.parse(withoutZone)
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString()
  const network = [...parsed.parts.slice(0, 4), 0, 0, 0, 0]
  return `${new ipaddr.IPv6(network).toString()}/64`
}

/** The network of this length that contains an address, as `parseNetwork` returns it. */
export function toNetwork(address: string, bits: number): string {
  const family = isIP(address) === 6 ? ipaddr.IPv6 : ipaddr.IPv4
  return `${family.networkAddressFromCIDR(`${address}/${bits}`)}/${bits}`
}

/**
 * Normalises a network of clients: an address becomes that of `toClientAddress`, a CIDR loses its host bits. Undefined
 * if the text is neither, or if the network is too large to be meant.
 */
export function parseNetwork(text: string): string | undefined {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || address.includes('%') || rest.length > 0) return undefined
  const client = toClientAddress(address)
  if (bits === undefined) return client
  const [min, max] = family === 4 ? [8, 32] : [16, 64]
  const isMapped = family === 6 && !client.includes(':')
  if (isMapped || !/^\d{1,2}$/.test(bits) || Number(bits) < min || Number(bits) > max) return undefined
  return family === 4 && Number(bits) === max ? client : toNetwork(address, Number(bits))
}

/**
 * Lists the networks of an address from the widest to the client: /48, /56 and /64, which are usual for a site and a
 * home, or the /24 of an IPv4 address.
 */
export function listNetworks(address: string): string[] {
  const client = toClientAddress(address)
  if (!client.endsWith('/64')) return isIP(client) === 4 ? [client.replace(/\d+$/, '0/24'), client] : [client]
  const { parts } = ipaddr.IPv6.parse(client.slice(0, -3))
  const [a = 0, b = 0, c = 0, d = 0] = parts
  return [`${[a, b, c]}/48`, `${[a, b, c, d >> 8]}/56`, client]
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
