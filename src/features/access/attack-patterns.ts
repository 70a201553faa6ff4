// The patterns of attacks, and the search for them; bans.ts decides about bans. Only requests to operator endpoints
// without a valid token are searched: no honest client sends any of these patterns there. The attacker chooses the text,
// so every pattern must run in linear time: an unbounded repetition must not match what the pattern itself starts with.

import { isPlaceholder } from './tokens.ts'

interface AttackPattern {
  readonly name: string
  readonly pattern: RegExp
  /** Delimited attacks, searched from the first opening delimiter to the last closing one. */
  readonly delimited?: readonly DelimitedPattern[]
}

type DelimitedPattern = { readonly open: string; readonly close: string; readonly inside: RegExp }

/** A comment separates words of SQL, too. */
const SPACE = String.raw`(?:\s|/\*[^*]{0,40}\*/)`
const SQL = [
  // MySQL runs the text of a comment such as /*!50000select*/.
  String.raw`(?:\b|\d)union\b[\s+/*()!\d]+(?:all\b[\s+/*()!\d]+)?select\b`,
  String.raw`['"]${SPACE}*(?:or|and)${SPACE}+['"\d][^&#=]{0,40}=`,
  String.raw`\b(?:or|and)${SPACE}+\d+${SPACE}*=${SPACE}*\d`,
  String.raw`'${SPACE}*--(?:[\s"&#]|$)`,
  String.raw`;${SPACE}*(?:drop|delete|insert|update)${SPACE}+\w+`,
  String.raw`\b(?:sleep|benchmark|pg_sleep)${SPACE}*\(${SPACE}*\d`,
  String.raw`\bwaitfor${SPACE}+delay\b|\binformation_schema\b`,
]

const ATTACK_PATTERNS: readonly AttackPattern[] = [
  {
    name: 'traversal',
    pattern: /(?:^|[/\\=#?&"])\.\.(?:\.{0,2}\/|[\\#;?\p{Cc}]|$)|\/etc\/(?:passwd|shadow)|\b(?:boot|win)\.ini\b|\0/iu,
  },
  { name: 'sql-injection', pattern: new RegExp(SQL.join('|'), 'i') },
  {
    name: 'script-injection',
    pattern: /<\s*(?:script|iframe|svg|img|object|!entity)\b|\bjavascript:|\bon(?:error|load)\s*=/i,
  },
  {
    name: 'template-injection',
    pattern: /\$\{\s*(?:jndi|env|sys|lower|upper|7\*7)/i,
    delimited: [
      { open: '{{', close: '}}', inside: /\d\s*\*\s*\d|config|self|request|constructor/i },
      { open: '#{', close: '}', inside: /\d\s*\*\s*\d/ },
      { open: '<%=', close: '%>', inside: /^/ },
    ],
  },
  {
    name: 'command-injection',
    pattern:
      /[;&|`]\s*(?:cat|ls|id|whoami|wget|curl|nc|bash|sh|ping|powershell)\b(?!=)|\$\((?:cat|id|whoami|curl|wget|ls)\b|\(\)\s*\{/i,
  },
  {
    name: 'object-injection',
    pattern: /\b__proto__\b|\bconstructor\W{1,8}prototype\b|\bO:\d+:"|\[\$(?:ne|gt|lt|where|regex)\]/i,
  },
]

/** In a URL only: cookies and texts name such files, too. */
const URL_PATTERNS: readonly AttackPattern[] = [
  ...ATTACK_PATTERNS,
  {
    name: 'scanner',
    pattern:
      /\/(?:\.env|\.git(?:\/|$)|\.aws\/|\.ssh\/|wp-(?:login|admin|content)|xmlrpc\.php|phpmyadmin|cgi-bin|actuator\b|vendor\/phpunit|[\w-]+\.(?:php|asp|aspx|jsp|cgi)(?![\w.-]))/i,
  },
]

const MAX_DECODINGS = 3
/** The maximum length of a valid body. More text would take milliseconds, in which other clients wait. */
const MAX_CHARACTERS = 16 * 1024
const MAX_HEADER_CHARACTERS = MAX_CHARACTERS / 2

/** The kind of attack that a URL contains, or undefined. Encoding an attack several times does not hide it. */
export const detectAttack = (url: string): string | undefined => search(url, URL_PATTERNS)

/** The same for another text of a request: a header or the body. */
export const detectAttackInText = (text: string): string | undefined => search(text, ATTACK_PATTERNS)

/** Their values are not lists of parts: "; id" is a command there, and a language or a cookie in other headers. */
const UNDIVIDED_HEADERS = /^(?:authorization|referer|x-.*)$/

/**
 * The same for all headers. They are searched as one text, because thousands of short texts take a hundred times as long.
 * No pattern continues after a "#", except inside braces.
 */
export function detectAttackInHeaders(headers: Readonly<Record<string, string | string[] | undefined>>) {
  const texts = Object.entries(headers).flatMap(([name, value]) => {
    if (name === 'authorization' && isPlaceholder(String(value))) return []
    return UNDIVIDED_HEADERS.test(name) ? String(value) : String(value).replaceAll(';', '#')
  })
  // The shortest first: a long header must not push an attack in another one beyond the limit. With "?", a header that
  // begins with a brace, such as CF-Visitor, does not look like the template "#{".
  const text = texts.sort((a, b) => a.length - b.length).join('#?')
  return detectAttackInText(text.slice(0, MAX_HEADER_CHARACTERS))
}

function search(from: string, patterns: readonly AttackPattern[]): string | undefined {
  let text = from.slice(0, MAX_CHARACTERS).replaceAll('+', ' ')
  for (let round = 0; round <= MAX_DECODINGS; round++) {
    const found = patterns.find(
      ({ pattern, delimited }) => pattern.test(text) || delimited?.some((each) => containsDelimited(text, each)),
    )
    if (found) return found.name
    const decoded = decode(text)
    if (decoded === text) return undefined
    text = decoded
  }
  return undefined
}

function containsDelimited(text: string, { open, close, inside }: DelimitedPattern): boolean {
  const start = text.indexOf(open)
  if (start === -1) return false
  const end = text.lastIndexOf(close)
  return end >= start + open.length && inside.test(text.slice(start + open.length, end))
}

const decodeHex = (_: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))

/** Decodes percent signs (`%3c`, `%u003c`), and JSON escapes of ASCII characters. */
const decode = (text: string) =>
  decodePercent(text)
    .replace(/[\\%]u(00[0-7][0-9a-f]|ff[0-5][0-9a-f])/gi, decodeHex)
    // Programs that convert characters read full-width ones (`＜`) as ASCII.
    .replace(/[\uff01-\uff5e]/g, (character) => String.fromCharCode(character.charCodeAt(0) - 0xfee0))
    .replace(/\\([nrt]|["/])/g, (_, character: string) => (character < 'a' ? character : ' '))

/** ASCII characters in two, three or four bytes, such as `%c0%ae` for a dot. Valid UTF-8 has none of them. */
const OVERLONG = /%(?:c([01])|e0%8([01])|f0%80%8([01]))%([89ab][0-9a-f])/gi

/** Other invalid UTF-8 is decoded byte by byte. */
function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    const plain = text.replace(OVERLONG, (_, two, three, four, last) =>
      String.fromCharCode(Number(two ?? three ?? four) * 64 + (Number.parseInt(last, 16) % 64)),
    )
    return plain.replace(/%([0-9a-f]{2})/gi, decodeHex)
  }
}
