// Log files are public (/api/v1/static/logs): private data is removed before a line is written, so that no file on disk
// contains it.
import { isIP, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The first group of 6to4 addresses (2002::/16). NAT64 and Teredo have the IPv4 address of the client after 48 bits. */
const SIX_TO_FOUR = 0x2002

/** The network of a client address: /24 for IPv4, /48 for IPv6, or /40 for 6to4, whose /48 contains an IPv4 address. */
export function shortenAddress(address: string): string {
  if (!isIP(address)) return 'unknown'
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return `${parsed.octets.slice(0, 3).join('.')}.0/24`
  const [a = 0, b = 0, c = 0] = parsed.parts
  const format = (third: number) => [a, b, third].map((group) => group.toString(16)).join(':')
  return a === SIX_TO_FOUR ? `${format(c & 0xff00)}::/40` : `${format(c)}::/48`
}

const URLS = /\b([a-z][a-z0-9+.-]{1,20}:\/\/)([^\s"'`<>\\]+)/gi
const IPV4 = /(?<!\d|\d\.)(\d{1,3}\.\d{1,3}\.\d{1,3})\.(\d{1,3})(?!\d|\.\d)(?:\/(\d{1,2})\b)?/g
const POSSIBLE_IPV6 = /(?<![\w:.])([0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,8}(?:\.\d{1,3}){0,3})(?![\w:])(?:\/(\d{1,3})\b)?/gi
const SECRETS = /\bmng[a-z]?_[A-Za-z0-9_-]{8,}/g

/** Removes secrets, full addresses, URL paths and the host's folders from free text. */
export function createScrubber(hiddenFolders: readonly string[]): (line: string) => string {
  // The longest first, so that a folder inside another one is replaced as a whole.
  const folders = hiddenFolders.filter((path) => path.length > 1).sort((a, b) => b.length - a.length)
  return (line) => {
    let text = line
    for (const path of folders) text = text.replaceAll(`file://${path}`, '.').replaceAll(path, '.')
    return text
      .replace(SECRETS, '[secret]')
      .replace(URLS, (_, scheme: string, rest: string) => scheme + readHost(rest))
      .replace(IPV4, (found, network: string, last: string, bits?: string) =>
        last === '0' && Number(bits) <= 24 ? found : `${network}.0/24`,
      )
      .replace(POSSIBLE_IPV6, (found, address: string, bits?: string) =>
        !isIPv6(address) || isNetwork(address, Number(bits)) ? found : shortenAddress(address),
      )
  }
}

/** A /48 or a larger network that does not identify one client. */
function isNetwork(address: string, bits: number): boolean {
  if (/^2002:/.test(address)) return `${address}/${bits}` === shortenAddress(address)
  return bits <= 48 && address.endsWith('::') && address.slice(0, -2).split(':').length <= 3
}

function readHost(afterScheme: string): string {
  const authority = afterScheme.split(/[/?#]/, 1)[0] ?? ''
  return authority.slice(authority.lastIndexOf('@') + 1)
}
