// Every setting once: type, default, range and help.
// The startup check, --help, .env.example and docs/settings.md are built from this list.
import { OperatorError } from '../errors/index.ts'
import { filterSettings } from './filter-settings.ts'
import { otelSettings } from './otel-settings.ts'
import type { Setting } from './setting-types.ts'
import * as types from './setting-types.ts'

export const settings = {
  HOST: types.host({
    default: '127.0.0.1',
    help: 'Address to listen on. 0.0.0.0 or :: means all network interfaces.',
  }),
  PORT: types.integer(0, 65535, { default: '4010', help: 'Port to listen on. 0 means any free port.' }),
  LISTEN_FDS: types.integer(0, 1, {
    default: '0',
    help: 'Set to 1 by systemd if it opens the port (socket activation). The service then ignores HOST and PORT.',
  }),
  PUBLIC_URL: types.publicUrl({
    default: '',
    help:
      'Base URL of the service, for links in replies. If empty, links use the scheme and host of each request, and ' +
      'replies with such links are `Cache-Control: private` instead of `public`, so that CDNs do not store them.',
  }),
  CONTENT_DIR: types.folder({ default: './content', help: 'Folder with the content to serve.' }),
  CONTENT_SYNC: types.choice(['redis', 'shared', 'off'], {
    default: 'redis',
    help:
      'How published content reaches other nodes, if STORE_URL is Redis. redis: through Redis, each node has its own ' +
      'CONTENT_DIR. shared: all nodes use one CONTENT_DIR. off: you copy it.',
  }),
  CONTENT_SYNC_FILE_BYTES: types.integer(65_536, 67_108_864, {
    default: '8388608',
    help: 'Maximum size of a file that is synchronised through Redis. Publish larger ones by URL, or share CONTENT_DIR.',
  }),
  CONTENT_SYNC_BYTES: types.integer(1_048_576, 2 ** 40, {
    default: '536870912',
    help: 'Maximum total size of the content that is synchronised through Redis. Redis needs as much memory, and a quarter more for uploads and replaced files.',
  }),
  DATA_DIR: types.folder({
    default: './data',
    help: 'Folder that the service writes to: logs, generated files, state.',
  }),
  TRUST_PROXY: types.addresses({
    default: '',
    help: 'Reverse proxies whose X-Forwarded-* headers are trusted. They are never banned.',
  }),
  APP_NAME: types.text(/^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?$/, {
    default: 'app',
    rule: '1 to 64 letters, digits, - or _, with a letter or digit at both ends',
    help: 'Name of the product whose updates the service offers, used in /api/v5/<name>/….',
  }),
  STORE_URL: types.storeUrl({
    default: '',
    help: 'Store of bans, client keys, tokens and download counts. Several nodes share one Redis.',
  }),
  V5_ACCESS: types.choice(['open', 'registered'], {
    default: 'open',
    help: 'Who may use the update API (v5): everyone, or only clients with a key that the operator granted.',
  }),
  MEMORY_LIMIT: types.integer(0, 2 ** 46, {
    default: '0',
    help:
      'Memory of this node in bytes, for all workers together. Image processes, caches and queues are sized to fit into ' +
      'it; the total is not enforced. 0: the memory of the container or machine.',
  }),
  ...filterSettings,
  RATE_LIMIT: types.rate('600/60', {
    default: 'on',
    help:
      'Rate limit per client address (IPv6: its /64) for all requests except filters, downloads, /healthz, /readyz and ' +
      '/metrics. "off" disables all rate limits, except that of requests for a client key.',
  }),
  RATE_LIMIT_FILTERS: types.rate('60/60', {
    default: 'on',
    help: 'Rate limit per client address for filters. RATE_LIMIT=off disables it, too.',
  }),
  RATE_LIMIT_DOWNLOADS: types.rate('60/60', {
    default: 'on',
    help: 'Rate limit per client address for downloads. RATE_LIMIT=off disables it, too.',
  }),
  UPLOAD_MAX_BYTES: types.integer(1, 1_099_511_627_776, {
    default: '2147483648',
    help:
      'Maximum size in bytes of a file that is published over HTTP. Uploads are kept in DATA_DIR until they are ' +
      'published, at most a day, and have at most four times this size together (three times per token).',
  }),
  BAN_EXEMPT: types.addresses({ default: 'loopback', help: 'Addresses that are never banned.' }),
  BAN_WRONG_TOKENS: types.rate(
    '5/900',
    {
      default: 'on',
      help:
        'tokens/seconds: bans an address (IPv6: its /64) after this many wrong operator tokens. The count resets after this many ' +
        'seconds without one. "off" disables these bans.',
    },
    'tokens',
  ),
  METRICS_ALLOW: types.addresses({ default: 'loopback', help: 'Addresses that may read /metrics.' }),
  BLOCKLIST_URL: types.webUrl({
    default: '',
    secret: true,
    help: 'URL to download the blocklist from: hosts from which filters fetch no images. If empty, no list is downloaded.',
  }),
  BLOCKLIST_REFRESH_HOURS: types.integer(0, 336, {
    default: '24',
    help: 'Hours between updates of the blocklist. 0 disables downloads, so BLOCKLIST_URL has no effect.',
  }),
  NOTIFY_URLS: types.webhooks({
    default: '',
    secret: true,
    help:
      'Webhooks that get a message when something needs attention. Discord webhooks and topics of ntfy.sh are recognised; ' +
      'ntfy+https://… is a topic of another ntfy server; other URLs get JSON. A comma in a URL is %2C.',
  }),
  BACKUP_HOURS: types.integer(0, 500, {
    default: '24',
    help: 'Hours between backups of the store and of CONTENT_DIR. Each is verified. 0 disables them.',
  }),
  BACKUP_KEEP: types.integer(1, 1000, {
    default: '7',
    help: 'Number of backups to keep. Files that have not changed take space only once.',
  }),
  BACKUP_DIR: types.optionalFolder({
    default: '',
    help: 'Folder of the backups, best on another disk. If empty: DATA_DIR/backups.',
  }),
  WORKERS: types.processes(256, {
    default: '1',
    help: 'Number of worker processes on this machine. They share one port. More than one requires Redis in STORE_URL.',
  }),
  STOP_GRACE_SECONDS: types.integer(0, 600, {
    default: '0',
    help:
      'Seconds to keep serving after the signal to stop, while /readyz already replies 503 to load balancers. 0 means ' +
      'half a second, or none if systemd opened the port (LISTEN_FDS).',
  }),
  CONNECTIONS_PER_ADDRESS: types.integer(0, 1_000_000, {
    default: '1000',
    help:
      'Maximum number of open connections per node and client address (IPv6: its /64, and four times as many for its ' +
      '/48), except for addresses in TRUST_PROXY. 0 means no limit.',
  }),
  MCP: types.choice(['on', 'off'], {
    default: 'off',
    help: 'Whether programs with a language model can use the service at /mcp (Model Context Protocol, read-only).',
  }),
  SECURITY_CONTACT: types.contacts({
    default: '',
    help:
      'Where to report vulnerabilities of your service: email addresses and https URLs, the preferred one first. ' +
      '/.well-known/security.txt names them. If empty, that file does not exist.',
  }),
  SECURITY_LANGUAGES: types.languages({
    default: 'en',
    help: 'Languages of reports that you read, for /.well-known/security.txt.',
  }),
  SIGN_IN_LINK: types.choice(['terminal', 'always', 'never'], {
    default: 'terminal',
    help:
      'When to print a link that signs in to the dashboard: if the output is a terminal, always, or never. It works once, ' +
      'within 10 minutes, on this machine. It needs a HOST that only this machine can reach, and one worker.',
  }),
  LOG_LEVEL: types.choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
    default: 'info',
    help: 'Minimum level of log messages. "info" includes one line per request.',
  }),
  LOG_FILE_BYTES: types.integer(65_536, 1_073_741_824, {
    default: '10485760',
    help: 'Size in bytes after which a new log file is started.',
  }),
  LOG_FILES: types.integer(1, 1000, { default: '14', help: 'Number of log files to keep.' }),
  ...otelSettings,
} satisfies Record<string, Setting<unknown>>

export type SettingName = keyof typeof settings
export type Config = { [Name in SettingName]: NonNullable<ReturnType<(typeof settings)[Name]['parse']>> }
export type Environment = Record<string, string | undefined>

export const settingNames = Object.keys(settings) as SettingName[]

export const listSettings = () => Object.entries<Setting<unknown>>(settings) as [SettingName, Setting<unknown>][]

export interface SettingProblem {
  /** Undefined: the problem does not belong to one name. */
  readonly name?: string
  readonly message: string
}

/** Returns the problems, and a config that has the default in place of each invalid value. */
export function parseConfig(environment: Environment): { config: Config; problems: SettingProblem[] } {
  const problems: SettingProblem[] = []
  const config: Record<string, unknown> = {}
  for (const [name, setting] of listSettings()) {
    const text = environment[name]?.trim()
    // The OpenTelemetry specification treats an empty variable as unset.
    const given = text === '' && name.startsWith('OTEL_') ? undefined : text
    const value = setting.parse(given ?? setting.default)
    if (value === undefined) problems.push({ name, message: describeProblem(name, setting, given ?? '') })
    config[name] = value ?? setting.parse(setting.default)
  }
  return { config: config as Config, problems }
}

function describeProblem(name: string, { rule, describeProblem, secret }: Setting<unknown>, given: string): string {
  const value = secret ? '' : `, not ${JSON.stringify(given.slice(0, 80))}`
  return `${name} must be ${describeProblem?.(given) ?? rule}${value}.`
}

export function readConfig(environment: Environment): Config {
  const { config, problems } = parseConfig(environment)
  assertNoProblems(problems)
  return config
}

export function assertNoProblems(problems: readonly SettingProblem[]): void {
  if (problems.length > 0) throw new OperatorError(problems.map(({ message }) => message).join('\n'))
}
