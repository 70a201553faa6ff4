// Which addresses and names are public, and the networks of clients.
import { readFileSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

// Non-public ranges, from IANA's special-purpose registries (iana-ipv4-special-registry, iana-ipv6-special-registry).
// Ranges marked "globally reachable" there are included: protocol infrastructure hosts no images. Then come public
// ranges that cloud providers route to internal services.

const specialIPv4: readonly [range: string, category: string][] = [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'carrier-grade NAT'], // contains 100.100.100.200, metadata of Alibaba Cloud
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'], // contains 169.254.169.254, metadata of most clouds
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'protocol assignments'], // contains 192.0.0.192, metadata of Oracle Cloud
  ['192.0.2.0/24', 'documentation'],
  ['192.31.196.0/24', 'AS112'],
  ['192.52.193.0/24', 'multicast tunnelling'],
  ['192.88.99.0/24', '6to4 relay'],
  ['192.168.0.0/16', 'private'],
  ['192.175.48.0/24', 'AS112'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'], // contains the limited broadcast address, 255.255.255.255
  ['168.63.129.16/32', 'cloud-internal'], // Azure host agent
  ['161.26.0.0/16', 'cloud-internal'], // IBM Cloud service network
  ['166.8.0.0/14', 'cloud-internal'], // IBM Cloud private endpoints
]

/** IPv6 is public only inside this range, and there only outside the special ones. */
const globalUnicast = '2000::/3'

// Forms that carry an IPv4 address are refused whatever it is: a public one has a plain spelling, and it is unknown
// where a gateway unwraps them.
const specialIPv6: readonly [range: string, category: string][] = [
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  ['::/96', 'IPv4-compatible'],
  ['::ffff:0:0/96', 'IPv4-mapped'],
  ['::ffff:0:0:0/96', 'IPv4-translated'],
  ['64:ff9b::/96', 'NAT64'],
  ['64:ff9b:1::/48', 'NAT64'],
  ['100::/64', 'discard-only'],
  ['100:0:0:1::/64', 'dummy prefix'],
  ['2001::/32', 'Teredo'],
  ['2001::/23', 'protocol assignments'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', '6to4'],
  ['2620:4f:8000::/48', 'AS112'],
  ['3ffe::/16', 'retired 6bone'],
  ['3fff::/20', 'documentation'],
  ['5f00::/16', 'segment routing'],
  ['fc00::/7', 'unique local'], // contains fd00:ec2::254 and fd20:ce::254, metadata of AWS and Google Cloud
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'retired site-local'],
  ['ff00::/8', 'multicast'],
]

/** Suffixes of names that no public host has (RFC 6761, 6762, 7686, 8375, 9476, or never delegated). */
const internalSuffixes: readonly string[] = [
  'localhost',
  'local',
  'localdomain',
  'internal',
  'intranet',
  'lan',
  'svc', // services of Kubernetes
  'home.arpa',
  'onion',
  'alt',
  'test',
]

type Range = readonly [network: ipaddr.IPv4 | ipaddr.IPv6, bits: number]

const parseRanges = (ranges: readonly [string, string][]) =>
  ranges.map(([range, category]) => ({ range: ipaddr.parseCIDR(range) as Range, category }))

const specialRanges = { ipv4: parseRanges(specialIPv4), ipv6: parseRanges(specialIPv6) }
const globalUnicastRange = ipaddr.IPv6.parseCIDR(globalUnicast)

/**
 * Returns 'public', or the category of a non-public address. Only what `net.connect` connects to as a literal is an address:
 * ipaddr.js also parses "0177.1", which the socket would pass to DNS, and a zone ("fe80::1%eth0") names a local link.
 */
export function classifyAddress(text: string): string {
  if (isIP(text) === 0 || text.includes('%')) return 'not an address'
  const address = ipaddr.parse(text)
  const found = specialRanges[address.kind()].find(({ range }) => address.match(range as [ipaddr.IPv4, number]))
  if (found) return found.category
  return address instanceof ipaddr.IPv6 && !address.match(globalUnicastRange) ? 'not global unicast' : 'public'
}

/** `.invalid` never exists (RFC 6761, 6.4): such a host is unreachable, not forbidden. */
export const isReservedName = (name: string) => /(?:^|\.)invalid$/.test(name)

/** Names of internal hosts, such as metadata.google.internal. DNS is never queried for them. */
export const isInternalName = (name: string) =>
  internalSuffixes.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))

/** How addresses that may contain IPv4 start. Proxies write them in any spelling: upper case, all zeros. */
const MAY_CONTAIN_IPV4 = /^(?:::|0|64:)/
/** Prefixes of translators. RFC 8215: networks choose theirs from 64:ff9b:1::/48. */
const TRANSLATED = ['64:ff9b::/96', '64:ff9b:1::/48', '::ffff:0:0:0/96'].map((range) => ipaddr.IPv6.parseCIDR(range))

/**
 * The IPv4 address inside an IPv6 address of a client: IPv4-mapped on a socket for both families, or translated for a
 * server without IPv4 (RFC 7755), where all IPv4 clients share one /64. Others are returned unchanged. So are translated
 * non-public ones: they must not look like this machine or its network.
 */
export function unwrapIpv4(address: string): string {
  if (!MAY_CONTAIN_IPV4.test(address) || isIP(address) !== 6) return address
  const parsed = ipaddr.IPv6.parse(address)
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString()
  if (!isTranslated(parsed)) return address
  const ipv4 = parsed.toByteArray().slice(-4).join('.')
  // With a prefix shorter than 96 bits, the IPv4 address does not end there, but zeros do (RFC 6052).
  return classifyAddress(ipv4) === 'public' && !ipv4.endsWith('.0.0.0') ? ipv4 : address
}

const isTranslated = (address: ipaddr.IPv6) => TRANSLATED.some((range) => address.match(range))

/**
 * The address that identifies a client: an IPv4 address, or the /64 network of an IPv6 address. One IPv6 host usually
 * owns a whole /64 and could use a new address for every request. A translated address is that of one IPv4 host.
 */
export function toClientAddress(address: string): string {
  if (!address.includes(':')) return address
  const [withoutZone = ''] = unwrapIpv4(address).split('%')
  if (isIP(withoutZone) !== 6) return withoutZone
  const parsed = ipaddr.IPv6.parse(withoutZone)
  if (MAY_CONTAIN_IPV4.test(withoutZone) && isTranslated(parsed)) return parsed.toString()
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
    const [given = '', bits] = entry.split('/')
    // Clients have the IPv4 address of a translated one, so that entries must have it, too.
    const address = bits === undefined ? unwrapIpv4(given) : given
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

const PROXY_NETWORKS = ['loopback', 'private', 'unique local', 'link-local', 'carrier-grade NAT']

/** Whether an address may be that of an own proxy or gateway. */
export const isInProxyNetwork = (address: string) => PROXY_NETWORKS.includes(classifyAddress(address))

/**
 * Addresses that many clients may share: those of this machine (except loopback) and of its default gateways that are not
 * public. Docker or Podman without root, the IPv6 proxy of Docker, and some routers forward connections from one of them.
 * The list lacks what cannot be read: the sandbox of systemd may forbid to list own addresses, and only Linux has these
 * files.
 */
export function readNatAddresses(): string[] {
  const sources = [readOwnAddresses, readIpv4Gateways, readIpv6Gateways]
  return sources.flatMap((read) => {
    try {
      return read().filter(isInProxyNetwork)
    } catch {
      return []
    }
  })
}

const readOwnAddresses = () =>
  Object.values(networkInterfaces())
    .flatMap((entries = []) => entries)
    .filter(({ internal }) => !internal)
    .map(({ address }) => address)

const readRoutes = (file: string) =>
  readFileSync(`/proc/net/${file}`, 'latin1')
    .split('\n')
    .map((line) => line.split(/\s+/))

/** The last byte is first. */
const readIpv4Gateways = () =>
  readRoutes('route')
    .filter(([, destination]) => destination === '00000000')
    .map(([, , gateway = '']) => Buffer.from(gateway, 'hex').reverse().join('.'))

const readIpv6Gateways = () =>
  readRoutes('ipv6_route')
    .filter(([destination = '', bits]) => /^0{32}$/.test(destination) && bits === '00')
    .map(([, , , , gateway = '']) => gateway.replace(/.{4}(?!$)/g, '$&:'))
