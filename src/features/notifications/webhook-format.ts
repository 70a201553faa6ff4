// The webhooks of the operator, and notifications in the format that each of them expects. notifier.ts sends them.
import { decodeUrlPart, getPort } from '../../platform/net/index.ts'

export const events = [
  'problem-began',
  'problem-ended',
  'key-requested',
  'release-public',
  'many-bans',
  'digest',
  'test',
] as const

/** A message for the operator. It contains no personal data, because webhooks may belong to third parties. */
export interface Notification {
  readonly event: (typeof events)[number]
  /** ASCII, because it is also a header. app/notifications.ts puts the name of the service before it. */
  readonly title: string
  readonly lines: readonly string[]
  /** How urgent it is. Only ntfy shows it. */
  readonly priority: 'low' | 'default' | 'high'
}

/** Tells the services of one operator apart. */
export const nameService = (publicUrl: string) => URL.parse(publicUrl)?.host ?? 'Menagerie'

type Format = 'discord' | 'ntfy' | 'json'

export interface Webhook {
  readonly format: Format
  /** For logs and problems, which are public: the URL is a secret. */
  readonly label: string
  readonly url: string
  /** `host:port`, which may be private: the operator configured it. */
  readonly host: string
  readonly headers: Readonly<Record<string, string>>
}

/** Parses an entry of NOTIFY_URLS, which has been validated. */
export function parseWebhook(text: string, index: number): Webhook {
  const [, prefix, address = ''] = /^(?:(discord|ntfy|json)\+)?(.+)$/.exec(text) ?? []
  const url = new URL(address)
  const format = (prefix as Format | undefined) ?? guessFormat(url)
  // A password may contain a percent sign that encodes nothing.
  const credentials = [url.username, url.password].map((part) => decodeUrlPart(part) ?? part).join(':')
  url.username = ''
  url.password = ''
  return {
    format,
    label: `webhook ${index + 1} (${format})`,
    url: url.href,
    host: `${url.hostname}:${getPort(url)}`,
    headers: credentials === ':' ? {} : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
  }
}

function guessFormat({ hostname, pathname }: URL): Format {
  if (/(^|\.)discord(app)?\.com$/.test(hostname) && pathname.startsWith('/api/webhooks/')) return 'discord'
  return hostname === 'ntfy.sh' ? 'ntfy' : 'json'
}

/** Discord refuses longer messages. */
const MAX_DISCORD_CHARACTERS = 2000
/** ntfy turns messages of more than 4096 bytes into attachments. */
const MAX_NTFY_BYTES = 4000
const NTFY_PRIORITY = { low: '2', default: '3', high: '4' } as const

type Payload = { readonly body: string; readonly headers: Readonly<Record<string, string>> }

const asJson = (value: object): Payload => ({
  body: JSON.stringify(value),
  headers: { 'content-type': 'application/json' },
})

const formats: Record<Format, (notification: Notification, time: Date) => Payload> = {
  // Texts come from files and file names: without `allowed_mentions`, "@everyone" would notify all members.
  discord: ({ title, lines }) =>
    asJson({
      content: cut([`**${title}**`, ...lines].join('\n'), MAX_DISCORD_CHARACTERS),
      allowed_mentions: { parse: [] },
    }),
  ntfy: ({ title, lines, priority }) => ({
    body: cutBytes(lines.join('\n'), MAX_NTFY_BYTES),
    headers: { 'content-type': 'text/plain; charset=utf-8', title, priority: NTFY_PRIORITY[priority] },
  }),
  json: ({ event, title, lines, priority }, time) =>
    asJson({ event, title, message: lines.join('\n'), priority, time: time.toISOString() }),
}

export const formatNotification = ({ format }: Webhook, notification: Notification, time: Date): Payload =>
  formats[format](notification, time)

/** Does not leave half of a surrogate pair. */
export const cut = (text: string, max: number) =>
  text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '')}…`

const cutBytes = (text: string, max: number) =>
  Buffer.byteLength(text) <= max
    ? text
    : `${Buffer.from(text)
        .subarray(0, max)
        .toString()
        .replace(/\uFFFD+$/, '')}…`
