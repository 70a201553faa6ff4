import { isIPv4, isIPv6 } from 'node:net'
import { domainToASCII } from 'node:url'

/** Of a domain name (RFC 1035), without the last dot. */
export const MAX_NAME_LENGTH = 253

// A top-level domain starts with a letter: a name that ends in a number is an address or invalid.
const NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/

/** The domain name in lower case and punycode; undefined if it is not a domain name. */
export function normalizeName(text: string): string | undefined {
  const bare = text.endsWith('.') ? text.slice(0, -1) : text
  const name = /^[\x20-\x7e]*$/.test(bare) ? bare.toLowerCase() : domainToASCII(bare)
  return name.length <= MAX_NAME_LENGTH && NAME.test(name) ? name : undefined
}

/** The address as a URL parser writes it, without brackets; undefined if it is not an address. */
export function normalizeAddress(text: string): string | undefined {
  if (isIPv4(text)) return text
  const bare = text.replace(/^\[(.*)\]$/, '$1')
  return isIPv6(bare) ? URL.parse(`http://[${bare}]`)?.hostname.slice(1, -1) : undefined
}

/** A host of any spelling; empty if it cannot be a host. */
export const normalizeHost = (text: string): string => normalizeAddress(text) ?? domainToASCII(text.replace(/\.$/, ''))
