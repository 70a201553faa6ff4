// What a request shows that nobody sends by mistake. Only asked about requests to the operator's endpoints that carry no
// valid token: there each of these is an attack. Attackers write the text that is searched, so each pattern takes time in
// proportion to its length: no repeat without a bound may run over what the pattern itself begins with.

interface Intent {
  readonly name: string
  readonly pattern: RegExp
  /** What is found only as a whole, from the first opening to the last closing. */
  readonly enclosed?: readonly Enclosed[]
}

interface Enclosed {
  readonly open: string
  readonly close: string
  readonly inside: RegExp
}

const INTENTS: readonly Intent[] = [
  { name: 'traversal', pattern: /(?:^|[/\\=])\.\.(?:[/\\]|$)|\/etc\/(?:passwd|shadow)|\b(?:boot|win)\.ini\b|\0/i },
  {
    name: 'sql-injection',
    pattern:
      /\bunion\b[\s+/*()]+(?:all\b[\s+/*()]+)?select\b|['"]\s*(?:or|and)\s+['"\d][^&]{0,100}=|;\s*(?:drop|delete|insert|update)\s+\w+|\b(?:sleep|benchmark|pg_sleep)\s*\(\s*\d|\bwaitfor\s+delay\b|\binformation_schema\b/i,
  },
  { name: 'script-injection', pattern: /<\s*(?:script|iframe|svg|img|object)\b|\bjavascript:|\bon(?:error|load)\s*=/i },
  {
    name: 'template-injection',
    pattern: /\$\{\s*(?:jndi|env|sys|lower|upper|7\*7)/i,
    enclosed: [
      { open: '{{', close: '}}', inside: /\d\s*\*\s*\d|config|self|request|constructor/i },
      { open: '#{', close: '}', inside: /\d\s*\*\s*\d/ },
      { open: '<%=', close: '%>', inside: /^/ },
    ],
  },
  {
    name: 'command-injection',
    pattern:
      /[;&|`]\s*(?:cat|ls|id|whoami|wget|curl|nc|bash|sh|ping|powershell)\b|\$\((?:cat|id|whoami|curl|wget|ls)\b/i,
  },
  {
    name: 'object-injection',
    pattern: /\b__proto__\b|\bconstructor\[prototype\]|\bO:\d+:"|\[\$(?:ne|gt|lt|where|regex)\]/i,
  },
  {
    name: 'scanner',
    pattern:
      /\/(?:\.env|\.git(?:\/|$)|\.aws\/|\.ssh\/|wp-(?:login|admin|content)|xmlrpc\.php|phpmyadmin|cgi-bin|actuator\b|vendor\/phpunit|[\w-]+\.(?:php|asp|aspx|jsp|cgi)\b)/i,
  },
]

const MAX_DECODINGS = 3
/** As long as any URL that is answered; decoding makes none longer. */
const MAX_CHARACTERS = 8 * 1024

/** The kind of attack that a URL shows, or undefined. Encoding it twice hides nothing. */
export function intentOf(url: string): string | undefined {
  let text = url.slice(0, MAX_CHARACTERS).replaceAll('+', ' ')
  for (let round = 0; round <= MAX_DECODINGS; round++) {
    const found = INTENTS.find(({ pattern, enclosed }) => pattern.test(text) || enclosed?.some((it) => holds(text, it)))
    if (found) return found.name
    const decoded = decode(text)
    if (decoded === text) return undefined
    text = decoded
  }
  return undefined
}

function holds(text: string, { open, close, inside }: Enclosed): boolean {
  const start = text.indexOf(open)
  if (start === -1) return false
  const end = text.lastIndexOf(close)
  return end >= start + open.length && inside.test(text.slice(start + open.length, end))
}

/** `%c0%ae` and `%c0%af` are old ways to hide a dot and a slash; other bytes that are no UTF-8 are taken one by one. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    const plain = text.replace(/%c0%ae/gi, '.').replace(/%c0%af/gi, '/')
    return plain.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  }
}
