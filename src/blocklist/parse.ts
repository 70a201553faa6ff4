import { domainToASCII } from 'node:url'

const DOMAIN = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{2,63}$/

/** A plain list: a domain a line, `#` begins a comment; names of other scripts become punycode. */
export function parseList(text: string): Set<string> {
  const domains = new Set<string>()
  for (const line of text.split('\n')) {
    const word = line.replace(/#.*/, '').trim()
    const domain = word === '' ? '' : domainToASCII(word.toLowerCase().replace(/\.$/, ''))
    if (DOMAIN.test(domain)) domains.add(domain)
  }
  return domains
}
