// Every setting once: type, default, range and help.
// The startup check, --help, .env.example and docs/settings.md are built from this list.
import {
  addresses,
  choice,
  emptyIsUnset,
  folder,
  host,
  hostPorts,
  integer,
  pairs,
  ports,
  processes,
  publicUrl,
  rate,
  type Setting,
  storeUrl,
  text,
  webUrl,
} from './setting-types.ts'

export const settings = {
  HOST: host({
    default: '127.0.0.1',
    help: 'Address to listen on. 0.0.0.0 or :: accepts connections from the network.',
  }),
  PORT: integer({ default: '4010', min: 0, max: 65535, help: 'Port to listen on. 0 means any free port.' }),
  PUBLIC_URL: publicUrl({
    default: '',
    help: 'Base of absolute URLs in replies. Empty: scheme and host of each request.',
  }),
  CONTENT_DIR: folder({ default: './content', help: 'Folder with the content to serve.' }),
  DATA_DIR: folder({ default: './data', help: 'Folder that the service writes to: logs, generated files, state.' }),
  TRUST_PROXY: addresses({
    default: '',
    help: 'Proxies whose forwarded headers are trusted. They are never banned.',
  }),
  APP_NAME: text({
    default: 'app',
    pattern: /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?$/,
    rule: '1 to 64 letters, digits, - or _, with a letter or digit at both ends',
    help: 'Name of the dedicated application. It is part of the v5 paths.',
  }),
  STORE_URL: storeUrl({
    default: '',
    help: 'Store of bans, client keys, tokens and download counts. Several nodes share one Redis.',
  }),
  V5_ACCESS: choice({
    default: 'open',
    of: ['open', 'registered'],
    help: 'Who may use v5: everyone, or only clients with a key that the operator granted.',
  }),
  FILTER_ALLOW_HOSTS: hostPorts({ default: '', help: 'Image sources that may have private addresses.' }),
  FILTER_PORTS: ports({ default: '80,443,1024-65535', help: 'Ports that images may be fetched from.' }),
  FILTER_MAX_BYTES: integer({
    default: '16777216',
    min: 65_536,
    max: 268_435_456,
    help: 'Maximum size of a source image in bytes, after HTTP content decoding.',
  }),
  FILTER_MAX_PIXELS: integer({
    default: '40000000',
    min: 10_000,
    max: 400_000_000,
    help: 'Maximum number of pixels of a source image, over all frames.',
  }),
  FILTER_TIMEOUT_MS: integer({
    default: '10000',
    min: 100,
    max: 120_000,
    help: 'Timeout for fetching an image, redirects included, in milliseconds.',
  }),
  FILTER_QUEUE: integer({
    default: '64',
    min: 0,
    max: 10_000,
    help: 'Maximum number of waiting filter requests. Further ones get the error BUSY.',
  }),
  FILTER_CACHE_BYTES: integer({
    default: '134217728',
    min: 1,
    max: 17_179_869_184,
    help: 'Memory for filtered images in bytes. Their sources may use half as much in addition.',
  }),
  FILTER_SHARED_BYTES: integer({
    default: '268435456',
    min: 0,
    max: 1_099_511_627_776,
    help: 'Redis memory for filtered images that all nodes share, in bytes. 0 disables it. Only with Redis.',
  }),
  FILTER_SHARED_SECONDS: integer({
    default: '86400',
    min: 1,
    max: 2_592_000,
    help: 'Lifetime of a filtered image in Redis, in seconds.',
  }),
  RATE_LIMIT: rate({ default: 'on', on: '600/60', help: 'Requests per address. "off" disables all rate limits.' }),
  RATE_LIMIT_FILTERS: rate({ default: 'on', on: '60/60', help: 'Filter requests per address.' }),
  RATE_LIMIT_DOWNLOADS: rate({ default: 'on', on: '60/60', help: 'Started downloads per address.' }),
  BAN_EXEMPT: addresses({ default: 'loopback', help: 'Addresses that are never banned.' }),
  BAN_WRONG_TOKENS: rate({
    default: 'on',
    on: '5/900',
    help: 'Wrong operator tokens per address after which the address is banned. "off" disables these bans.',
  }),
  METRICS_ALLOW: addresses({ default: 'loopback', help: 'Addresses that may read /metrics.' }),
  BLOCKLIST_URL: webUrl({ default: '', secret: true, help: 'URL of the blocking list. Empty: no list is fetched.' }),
  BLOCKLIST_REFRESH_HOURS: integer({
    default: '24',
    min: 0,
    max: 336,
    help: 'Hours between updates of the blocking list. 0 disables automatic updates.',
  }),
  WORKERS: processes({
    default: '1',
    max: 256,
    help: 'Number of worker processes on this machine. They share one port. More than one requires Redis in STORE_URL.',
  }),
  STOP_GRACE_SECONDS: integer({
    default: '0',
    min: 0,
    max: 600,
    help: 'Seconds between "/readyz replies 503" and shutdown, so that load balancers can stop sending requests.',
  }),
  CONNECTIONS_PER_ADDRESS: integer({
    default: '1000',
    min: 0,
    max: 1_000_000,
    help: 'Maximum number of open connections per address, except TRUST_PROXY. 0 means no limit.',
  }),
  LOG_LEVEL: choice({
    default: 'info',
    of: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    help: 'Lowest level that is logged. "info" includes one line per request.',
  }),
  LOG_FILE_BYTES: integer({
    default: '10485760',
    min: 65_536,
    max: 1_073_741_824,
    help: 'Size in bytes after which a new log file is started.',
  }),
  LOG_FILES: integer({ default: '14', min: 1, max: 1000, help: 'Number of log files to keep.' }),

  // OpenTelemetry, with the names of its specification. Tracing is off unless one of the two endpoints is set.
  OTEL_EXPORTER_OTLP_ENDPOINT: webUrl({
    default: '',
    secret: true,
    help: 'Base URL of the trace collector (OTLP over HTTP). "/v1/traces" is appended. Empty: no tracing.',
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: webUrl({
    default: '',
    secret: true,
    help: 'Full URL of the trace collector. It overrides OTEL_EXPORTER_OTLP_ENDPOINT.',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: pairs({ secret: true, help: 'Headers for the collector, such as its API key.' }),
  OTEL_SDK_DISABLED: emptyIsUnset(
    choice({ default: 'false', of: ['true', 'false'], help: '"true" disables tracing.' }),
  ),
  OTEL_SERVICE_NAME: emptyIsUnset(
    text({ default: 'menagerie', pattern: /^[^\0]{1,200}$/, rule: 'a name', help: 'Name of the service in traces.' }),
  ),
  OTEL_RESOURCE_ATTRIBUTES: pairs({ help: 'Additional attributes of the service in traces.' }),
  OTEL_TRACES_SAMPLER: emptyIsUnset(
    choice({
      default: 'parentbased_always_on',
      of: [
        ...(['always_on', 'always_off', 'traceidratio'] as const),
        ...(['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const),
      ],
      help: 'Which requests are traced.',
    }),
  ),
  OTEL_TRACES_SAMPLER_ARG: emptyIsUnset(
    text({
      default: '1',
      pattern: /^(?:0(?:\.\d+)?|1(?:\.0+)?|\.\d+)$/,
      rule: 'a number from 0 to 1',
      help: 'Share of traced requests, for the samplers with "ratio" in their name.',
    }),
  ),
  OTEL_BSP_SCHEDULE_DELAY: emptyIsUnset(
    integer({ default: '5000', min: 1, max: 600_000, help: 'Milliseconds between two exports of traces.' }),
  ),
  OTEL_BSP_EXPORT_TIMEOUT: emptyIsUnset(
    integer({ default: '30000', min: 1, max: 600_000, help: 'Timeout for an export, in milliseconds.' }),
  ),
  OTEL_BSP_MAX_QUEUE_SIZE: emptyIsUnset(
    integer({
      default: '2048',
      min: 1,
      max: 1_000_000,
      help: 'Maximum number of queued spans. Further ones are dropped.',
    }),
  ),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: emptyIsUnset(
    integer({ default: '512', min: 1, max: 1_000_000, help: 'Maximum number of spans per export.' }),
  ),
} satisfies Record<string, Setting<unknown>>

export type SettingName = keyof typeof settings
export type Config = { [Name in SettingName]: NonNullable<ReturnType<(typeof settings)[Name]['parse']>> }
export type Environment = Record<string, string | undefined>

export const listSettings = () => Object.entries<Setting<unknown>>(settings) as [SettingName, Setting<unknown>][]

/** Stops the start. The message names each invalid setting and its rule. */
export class ConfigError extends Error {}

export interface SettingProblem {
  readonly name: string
  readonly message: string
}

/** Returns the problems, and a config that has the default in place of each invalid value. */
export function parseConfig(environment: Environment): { config: Config; problems: SettingProblem[] } {
  const problems: SettingProblem[] = []
  const config: Record<string, unknown> = {}
  for (const [name, setting] of listSettings()) {
    const given = environment[name]?.trim()
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
  if (problems.length > 0) throw new ConfigError(problems.map(({ message }) => message).join('\n'))
}
