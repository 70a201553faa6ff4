import { isIPv4, isIPv6 } from 'node:net'
import { domainToASCII } from 'node:url'

/** Of a domain name (RFC 1035), without the last dot. */
export const LONGEST_NAME = 253

// A top-level domain begins with a letter: what ends in a number is an address or nothing.
const NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/

/** The name in the spelling that hosts are compared in, or undefined where it is none. */
export function settleName(text: string): string | undefined {
  const bare = text.endsWith('.') ? text.slice(0, -1) : text
  const name = /^[\x20-\x7e]*$/.test(bare) ? bare.toLowerCase() : domainToASCII(bare)
  return name.length <= LONGEST_NAME && NAME.test(name) ? name : undefined
}

/** The address as a URL parser writes it, without brackets, or undefined where it is none. */
export function settleAddress(text: string): string | undefined {
  if (isIPv4(text)) return text
  const bare = text.replace(/^\[(.*)\]$/, '$1')
  return isIPv6(bare) ? URL.parse(`http://[${bare}]`)?.hostname.slice(1, -1) : undefined
}

/** A host as somebody wrote it; empty where it cannot be one. */
export const settleHost = (text: string): string => settleAddress(text) ?? domainToASCII(text.replace(/\.$/, ''))
