// What a line of a list says, in each format that such lists come in. This is the plain version, a line at a time;
// scan.ts goes around it for the lines that a large list is made of.
import { settleAddress, settleName } from './name.ts'

export interface Rule {
  readonly name: string
  /** An exception: the name and what is below it are let through. */
  readonly isAllowed: boolean
}

/** Undefined where the line names no host that could be blocked, which is counted; comments say nothing. */
export function readLine(line: string): Rule[] | undefined {
  const text = line.trim()
  if (text === '' || COMMENT.test(text) || HEADER.test(text)) return []
  if (text.startsWith('||') || text.startsWith('@@')) return readAdblock(text)
  const dnsmasq = DNSMASQ.exec(text)
  if (dnsmasq) return readDnsmasq(dnsmasq)
  if (COSMETIC.test(text)) return undefined
  const words = text.replace(LINE_END_COMMENT, '').trim().split(/\s+/)
  return words.length > 1 ? readHosts(words) : readWord(words[0]!)
}

const COMMENT = /^(?:#|!|\/\/)/
/** `[Adblock Plus 2.0]`; an address in brackets has a colon. */
const HEADER = /^\[[^:\]]*\]$/
/** `site.example##.banner` and its kin hide parts of a page. */
const COSMETIC = /^[^\s#]*#[@$?%]*#/
const LINE_END_COMMENT = /(?:#|\s(?:\/\/|!)).*/

const blocked = (name: string): Rule => ({ name, isAllowed: false })

/** Under a whole top-level domain only where the line is surely meant so: a lone word is a mistake. */
function readWord(word: string): Rule[] | undefined {
  const wild = /^\*?\.(.+)/.exec(word)?.[1]
  const name = wild === undefined ? (settleAddress(word) ?? settleFull(word)) : settleName(wild)
  return name === undefined ? undefined : [blocked(name)]
}

function settleFull(word: string): string | undefined {
  const name = settleName(word)
  return name?.includes('.') ? name : undefined
}

/** Addresses that lead nowhere; a line with any other says where a host is, not that it is blocked. */
const SINK = /^(?:0|0\.0\.0\.0|127(?:\.\d{1,3}){3}|::|::1|0:0:0:0:0:0:0:[01]|#)?$/
/** What every hosts file says of the machine itself. */
const OWN_NAMES = /^(?:localhost\d?|localhost\d?\.localdomain\d?|local|broadcasthost|ip6-\w+|0\.0\.0\.0)$/i

function readHosts([address = '', ...names]: string[]): Rule[] | undefined {
  const others = names.filter((name) => !OWN_NAMES.test(name))
  if (others.length === 0) return []
  const settled = others.map((name) => settleAddress(name) ?? settleFull(name)).filter((name) => name !== undefined)
  return SINK.test(address) && settled.length > 0 ? settled.map(blocked) : undefined
}

const DNSMASQ = /^(address|server|local)=\/(.+)\/([^/]*)$/

/** `server=/x/1.2.3.4` asks another server, which blocks nothing. */
function readDnsmasq([, directive, domains = '', target = '']: string[]): Rule[] | undefined {
  const isBlocking = directive === 'address' ? SINK.test(target) : target === ''
  if (!isBlocking) return undefined
  const names = domains.split('/').map((domain) => settleAddress(domain) ?? settleName(domain.replace(/^\*?\./, '')))
  const settled = names.filter((name) => name !== undefined)
  return settled.length > 0 ? settled.map(blocked) : undefined
}

/** Only rules about a whole host; those about a path, a port or a pattern are not. */
const ADBLOCK = /^(@@)?\|\|(?:\*\.)?([^/^$|*\s]+)\^?\|?(?:\$([^$]+))?$/

/** Options that leave a rule one about every request to the host. */
const EVERYWHERE = new Set(['third-party', '3p', 'important', 'all'])
/** Resource types: with any of them, a rule is about pictures only if one of them is. */
const PICTURES = new Set(['image'])
const OTHER_TYPES = new Set(
  'script,stylesheet,css,font,media,object,xmlhttprequest,xhr,websocket,subdocument,frame,ping,other,popup'.split(','),
)
/** Of a rule that blocks: even to visit the site is blocked. Of an exception: what the pages of the site may load. */
const PAGES = new Set(['document', 'doc'])

function readAdblock(text: string): Rule[] | undefined {
  const [, exception, host = '', given] = ADBLOCK.exec(text) ?? []
  const isAllowed = exception !== undefined
  const name = settleAddress(host) ?? settleName(host)
  if (name === undefined || (given !== undefined && !isAboutPictures(given.split(','), isAllowed))) return undefined
  return [{ name, isAllowed }]
}

function isAboutPictures(options: string[], isAllowed: boolean): boolean {
  const types = options.filter((option) => !EVERYWHERE.has(option))
  const named = (type: string) => PICTURES.has(type) || (!isAllowed && PAGES.has(type))
  return types.every((type) => named(type) || OTHER_TYPES.has(type)) && (types.length === 0 || types.some(named))
}
