// Log files are public (/api/v1/static/logs): what must not be shown is taken out before a line is written,
// so that no file on disk holds it.
import { isIPv6 } from 'node:net'

/** The network of a client address: IPv4 cut to /24, IPv6 to /48. */
export function cutAddress(address: string): string {
  const mapped = address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
  const lastDot = mapped.lastIndexOf('.')
  if (lastDot > 0 && !mapped.includes(':')) return `${mapped.slice(0, lastDot)}.0/24`
  if (!isIPv6(mapped)) return 'unknown'
  return `${firstGroups(mapped, 3)}::/48`
}

function firstGroups(address: string, count: number): string {
  const [head = '', tail] = address.toLowerCase().split('::')
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    const end = tail === '' ? [] : tail.split(':')
    const missing = 8 - groups.length - end.length - (tail.includes('.') ? 1 : 0)
    groups.push(...Array<string>(Math.max(0, missing)).fill('0'), ...end)
  }
  return groups
    .slice(0, count)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

const URLS = /\b([a-z][a-z0-9+.-]{1,20}:\/\/)([^\s"'`<>\\]+)/gi
const IPV4 = /(?<!\d|\d\.)(\d{1,3}\.\d{1,3}\.\d{1,3})\.(\d{1,3})(?!\d|\.\d)(?:\/(\d{1,2})\b)?/g
const MAYBE_IPV6 = /(?<![\w:.])([0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,8}(?:\.\d{1,3}){0,3})(?![\w:])(?:\/(\d{1,3})\b)?/gi
const SECRETS = /\bmng[a-z]?_[A-Za-z0-9_-]{8,}/g

export type Scrub = (line: string) => string

/** Takes secrets, full addresses, the rest of URLs and the host's own folders out of a line of free text. */
export function createScrub(hiddenFolders: readonly string[]): Scrub {
  // The longest first, so that a folder inside another is still named as itself.
  const folders = hiddenFolders.filter((path) => path.length > 1).sort((a, b) => b.length - a.length)
  return (line) => {
    let text = line
    for (const path of folders) text = text.replaceAll(`file://${path}`, '.').replaceAll(path, '.')
    return text
      .replace(SECRETS, '[secret]')
      .replace(URLS, (_, scheme: string, rest: string) => scheme + hostOf(rest))
      .replace(IPV4, (found, network: string, last: string, bits?: string) =>
        last === '0' && Number(bits) <= 24 ? found : `${network}.0/24`,
      )
      .replace(MAYBE_IPV6, (found, address: string, bits?: string) =>
        !isIPv6(address) || isNetwork(address, Number(bits)) ? found : cutAddress(address),
      )
  }
}

/** A /48 or a larger network, with nothing behind it that would tell of one caller. */
const isNetwork = (address: string, bits: number) =>
  bits <= 48 && address.endsWith('::') && address.slice(0, -2).split(':').length <= 3

function hostOf(afterScheme: string): string {
  const authority = afterScheme.split(/[/?#]/, 1)[0] ?? ''
  return authority.slice(authority.lastIndexOf('@') + 1)
}
