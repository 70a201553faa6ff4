// Parses lists of domains, hosts files, Adblock and dnsmasq lists. Nearly all lines of a large list have one of a few
// formats, which a fast path reads without creating strings. `parseLine` reads any line; a test compares both.
import { IndexBuilder, type IndexParts, MAX_NAME_LENGTH, normalizeAddress, normalizeName } from './host-index.ts'

/** Real lists have no longer lines: dnsmasq accepts 1,025 bytes, and hosts files have a few names per line. */
const MAX_LINE_BYTES = 4096
/** Average of large published lists. Lines of hosts files are a few bytes longer. */
const TYPICAL_LINE_BYTES = 24
const MAX_LABEL_LENGTH = 63
const BOM = [0xef, 0xbb, 0xbf]
const TAB = 0x09
const NEWLINE = 0x0a
const RETURN = 0x0d
const SPACE = 0x20
const DASH = 0x2d
const DOT = 0x2e

export interface ParsedList {
  readonly index: IndexParts
  /** Number of distinct blocked domains and addresses. */
  readonly entries: number
  /** Number of lines that are neither comments nor name a host. */
  readonly ignored: number
  /** Line number of the first ignored line that is not a rule of another kind either. */
  readonly invalidLine: number | undefined
}

/** Parses a list of any supported format, until it has too many entries. Changes capitals in `bytes` to lower case. */
export function parseList(bytes: Buffer, maxEntries = Number.POSITIVE_INFINITY): ParsedList {
  const builder = new IndexBuilder(bytes.length / TYPICAL_LINE_BYTES)
  const scratch = Buffer.alloc(MAX_NAME_LENGTH)
  let [ignored, line] = [0, 0]
  let invalidLine: number | undefined
  const addRule = ({ name, isAllowed }: Rule) => builder.add(scratch, 0, scratch.write(name, 'latin1'), isAllowed)

  let start = BOM.every((byte, at) => bytes[at] === byte) ? BOM.length : 0
  while (start < bytes.length && builder.entries <= maxEntries) {
    line += 1
    let end = start
    while (end < bytes.length && bytes[end] !== NEWLINE) end += 1
    const next = end + 1
    while (start < end && isBlank(bytes[start]!)) start += 1
    while (start < end && isBlank(bytes[end - 1]!)) end -= 1
    const format = findLineFormat(bytes, start, end)
    if (format) builder.add(bytes, start + format.prefix.length, end - format.suffix.length, false)
    else if (end - start > MAX_LINE_BYTES) ignored += 1
    else if (start < end) {
      const text = bytes.toString('utf8', start, end)
      const rules = parseLine(text)
      if (rules === undefined) {
        ignored += 1
        if (!OTHER_RULE.test(text)) invalidLine ??= line
      } else rules.forEach(addRule)
    }
    start = next
  }
  return { entries: builder.entries, ignored, invalidLine, index: builder.finish() }
}

const isBlank = (byte: number) => byte === SPACE || byte === TAB || byte === RETURN

type LineFormat = { readonly prefix: Uint8Array; readonly suffix: Uint8Array }

/** Formats of nearly all lines in large lists, each with one name. */
const COMMON_FORMATS: readonly LineFormat[] = [
  ['', ''],
  ['||', '^'],
  ['0.0.0.0 ', ''],
  ['127.0.0.1 ', ''],
  ['*.', ''],
  ['address=/', '/'],
  ['address=/', '/0.0.0.0'],
  ['server=/', '/'],
  ['local=/', '/'],
].map(([prefix = '', suffix = '']) => ({ prefix: Buffer.from(prefix), suffix: Buffer.from(suffix) }))
const LOCALHOST = Buffer.from('localhost')

/** Undefined for other lines and unusual names: `parseLine` handles them. */
function findLineFormat(bytes: Uint8Array, start: number, end: number): LineFormat | undefined {
  for (const format of COMMON_FORMATS) {
    const from = start + format.prefix.length
    const to = end - format.suffix.length
    if (!isAt(format.prefix, bytes, start) || !isAt(format.suffix, bytes, to)) continue
    if (isPlainName(bytes, from, to) && !isAt(LOCALHOST, bytes, from)) return format
  }
  return undefined
}

function isAt(part: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let at = 0; at < part.length; at += 1) if (bytes[start + at] !== part[at]) return false
  return true
}

/** Class of each byte: 0 not allowed in names, 1 lower-case letter, 2 digit or dash, 3 underscore, 4 capital. */
const CLASSES = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte)
  return 1 + [/[a-z]/, /[0-9-]/, /_/, /[A-Z]/].findIndex((kind) => kind.test(character))
})
const LETTER = 1
const UNDERSCORE = 3
const CAPITAL = 4

/** Accepts the same names as `normalizeName`, but only with two labels or more. */
function isPlainName(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > MAX_NAME_LENGTH) return false
  let label = start
  let hasUnderscore = false
  for (let at = start; at <= end; at += 1) {
    const byte = at === end ? DOT : bytes[at]!
    if (byte === DOT) {
      const length = at - label
      if (length === 0 || length > MAX_LABEL_LENGTH || bytes[label] === DASH || bytes[at - 1] === DASH) return false
      if (at === end) break
      label = at + 1
      hasUnderscore = false
      continue
    }
    const kind = CLASSES[byte]!
    if (kind === 0) return false
    if (kind === UNDERSCORE) hasUnderscore = true
    if (kind === CAPITAL) bytes[at] = byte | 0x20
  }
  return label > start && end - label >= 2 && !hasUnderscore && CLASSES[bytes[label]!] === LETTER
}

interface Rule {
  readonly name: string
  /** An exception: the name and its subdomains are allowed. */
  readonly isAllowed: boolean
}

/** Parts of pages and patterns of URLs in Adblock lists, and other settings of dnsmasq. */
const OTHER_RULE = /^(?!https?:).*(?:[#$|^=&?]|\/\*|\*\/)|^[-./_@]/

/** Undefined if the line names no host, empty for comments. */
export function parseLine(line: string): Rule[] | undefined {
  const text = line.trim()
  if (text === '' || COMMENT.test(text) || HEADER.test(text)) return []
  if (text.startsWith('||') || text.startsWith('@@')) return parseAdblock(text)
  const dnsmasq = DNSMASQ.exec(text)
  if (dnsmasq) return parseDnsmasq(dnsmasq)
  if (COSMETIC.test(text)) return undefined
  const words = text.replace(LINE_END_COMMENT, '').trim().split(/\s+/)
  return words.length > 1 ? parseHosts(words) : parseWord(words[0]!)
}

const COMMENT = /^(?:#|!|\/\/)/
/** `[Adblock Plus 2.0]`; an address in brackets has a colon. */
const HEADER = /^\[[^:\]]*\]$/
/** Cosmetic rules, such as `site.example##.banner`, hide parts of a page. */
const COSMETIC = /^[^\s#]*#[@$?%]*#/
const LINE_END_COMMENT = /(?:#|\s(?:\/\/|!)).*/

/** Undefined if no name is valid. */
function toRules(names: (string | undefined)[]): Rule[] | undefined {
  const rules = names.filter((name) => name !== undefined).map((name) => ({ name, isAllowed: false }))
  return rules.length > 0 ? rules : undefined
}

/** A single word without a dot is a mistake, unless a wildcard (`*.zip`) names a top-level domain explicitly. */
function parseWord(word: string): Rule[] | undefined {
  const wildcard = /^\*?\.(.+)/.exec(word)?.[1]
  return toRules([wildcard === undefined ? normalizeAddressOrFullName(word) : normalizeName(wildcard)])
}

function normalizeAddressOrFullName(word: string): string | undefined {
  const name = normalizeAddress(word) ?? normalizeName(word)
  return name?.match(/[.:]/) ? name : undefined
}

/** Addresses that mean "blocked". With another address, the line says where a host is. */
const SINK_ADDRESS = /^(?:0|0\.0\.0\.0|127(?:\.\d{1,3}){3}|::|::1|0:0:0:0:0:0:0:[01]|#)?$/
/** Names of the machine itself, which every hosts file has. */
const LOCAL_NAMES = /^(?:localhost\d?|localhost\d?\.localdomain\d?|local|broadcasthost|ip6-\w+|0\.0\.0\.0)$/i

function parseHosts([address = '', ...names]: string[]): Rule[] | undefined {
  const others = names.filter((name) => !LOCAL_NAMES.test(name))
  if (others.length === 0) return []
  return SINK_ADDRESS.test(address) ? toRules(others.map(normalizeAddressOrFullName)) : undefined
}

const DNSMASQ = /^(address|server|local)=\/(.+)\/([^/]*)$/

/** `server=/x/1.2.3.4` selects a DNS server, which blocks nothing. */
function parseDnsmasq([, directive, domains = '', target = '']: string[]): Rule[] | undefined {
  const isBlocking = directive === 'address' ? SINK_ADDRESS.test(target) : target === ''
  if (!isBlocking) return undefined
  const normalize = (domain: string) => normalizeAddress(domain) ?? normalizeName(domain.replace(/^\*?\./, ''))
  return toRules(domains.split('/').map(normalize))
}

/** Only rules for a whole host, without path, port or pattern. */
const ADBLOCK = /^(@@)?\|\|(?:\*\.)?([^/^$|*\s]+)\^?\|?(?:\$([^$]+))?$/

/** Options with which a rule still applies to every request to the host. */
const GENERAL_OPTIONS = new Set(['third-party', '3p', 'important', 'all'])
/** Resource types. A rule with resource types concerns images only if `image` is one of them. */
const OTHER_TYPES = new Set(
  'script,stylesheet,css,font,media,object,xmlhttprequest,xhr,websocket,subdocument,frame,ping,other,popup'.split(','),
)
/** In a blocking rule: visiting the site is blocked, too. In an exception: what pages of the site may load. */
const PAGE_TYPES = new Set(['document', 'doc'])

function parseAdblock(text: string): Rule[] | undefined {
  const [, exception, host = '', options] = ADBLOCK.exec(text) ?? []
  const isAllowed = exception !== undefined
  const name = normalizeAddress(host) ?? normalizeName(host)
  if (name === undefined || (options !== undefined && !concernsImages(options.split(','), isAllowed))) return undefined
  return [{ name, isAllowed }]
}

function concernsImages(options: string[], isAllowed: boolean): boolean {
  const types = options.filter((option) => !GENERAL_OPTIONS.has(option))
  const isImageType = (type: string) => type === 'image' || (!isAllowed && PAGE_TYPES.has(type))
  return (
    types.every((type) => isImageType(type) || OTHER_TYPES.has(type)) && (types.length === 0 || types.some(isImageType))
  )
}
