// Every setting, once: its type, default, range and one line of help.
// The start-up check, --help, .env.example and docs/settings.md are made from this list.
import {
  addresses,
  choice,
  folder,
  host,
  hostPorts,
  integer,
  ports,
  processes,
  publicUrl,
  rate,
  type Setting,
  storeUrl,
  text,
  webUrl,
} from './setting.ts'
import { traceSettings } from './trace-settings.ts'

export const settings = {
  HOST: host({ default: '127.0.0.1', help: 'Address to listen on; 0.0.0.0 or :: opens it to the network.' }),
  PORT: integer({ default: '4010', min: 0, max: 65535, help: 'Port to listen on; 0 takes any free one.' }),
  PUBLIC_URL: publicUrl({
    default: '',
    help: 'Start of absolute URLs in replies; empty takes the scheme and host of each request.',
  }),
  CONTENT_DIR: folder({ default: './content', help: 'Folder with what is served.' }),
  DATA_DIR: folder({ default: './data', help: 'Folder for what the service writes: logs, generated files, state.' }),
  TRUST_PROXY: addresses({ default: '', help: 'Proxies whose forwarded headers are believed; they are never banned.' }),
  APP_NAME: text({
    default: 'app',
    pattern: /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?$/,
    rule: '1 to 64 letters, digits, - or _, with a letter or digit at both ends',
    help: 'Name of the dedicated application: the segment of the v5 paths.',
  }),
  STORE_URL: storeUrl({
    default: '',
    help: 'Where bans, client keys, tokens and download counts are kept; what several nodes share.',
  }),
  V5_ACCESS: choice({
    default: 'open',
    of: ['open', 'registered'],
    help: 'Whether v5 is open to all, or only to clients with a key that the operator granted.',
  }),
  FILTER_ALLOW_HOSTS: hostPorts({ default: '', help: 'Image sources that may be private.' }),
  FILTER_PORTS: ports({ default: '80,443,1024-65535', help: 'Ports that images are fetched from.' }),
  FILTER_MAX_BYTES: integer({
    default: '16777216',
    min: 65_536,
    max: 268_435_456,
    help: 'Largest source image, in bytes after decoding.',
  }),
  FILTER_MAX_PIXELS: integer({
    default: '40000000',
    min: 10_000,
    max: 400_000_000,
    help: 'Most pixels of a source image, over all its frames.',
  }),
  FILTER_TIMEOUT_MS: integer({
    default: '10000',
    min: 100,
    max: 120_000,
    help: 'How long the whole exchange with an image source may take.',
  }),
  FILTER_QUEUE: integer({
    default: '64',
    min: 0,
    max: 10_000,
    help: 'Filter requests that may wait; further ones are answered with BUSY.',
  }),
  FILTER_CACHE_BYTES: integer({
    default: '134217728',
    min: 1,
    max: 17_179_869_184,
    help: 'Memory for filtered images; half of it again is for their sources.',
  }),
  FILTER_SHARED_BYTES: integer({
    default: '268435456',
    min: 0,
    max: 1_099_511_627_776,
    help: 'Share of Redis for filtered images that all nodes use; 0 shares none. Nothing without Redis.',
  }),
  FILTER_SHARED_SECONDS: integer({
    default: '86400',
    min: 1,
    max: 2_592_000,
    help: 'How long a filtered image is kept in Redis.',
  }),
  RATE_LIMIT: rate({ default: 'on', on: '600/60', help: 'What one address may ask; off switches all limits off.' }),
  RATE_LIMIT_FILTERS: rate({ default: 'on', on: '60/60', help: 'What one address may ask of image filters.' }),
  RATE_LIMIT_DOWNLOADS: rate({ default: 'on', on: '60/60', help: 'How many downloads one address may begin.' }),
  BAN_EXEMPT: addresses({ default: 'loopback', help: 'Addresses that are never banned.' }),
  BAN_WRONG_TOKENS: rate({
    default: 'on',
    on: '5/900',
    help: 'How many wrong operator tokens in how many seconds get an address banned; off bans nobody for them.',
  }),
  METRICS_ALLOW: addresses({ default: 'loopback', help: 'Addresses that may read /metrics.' }),
  BLOCKLIST_URL: webUrl({
    default: '',
    secret: true,
    help: 'Where the blocking list is fetched from; empty fetches none.',
  }),
  BLOCKLIST_REFRESH_HOURS: integer({
    default: '24',
    min: 0,
    max: 336,
    help: 'Hours between two updates of the blocking list; 0 never updates it by itself.',
  }),
  WORKERS: processes({
    default: '1',
    max: 256,
    help: 'Processes on this machine, all on one port; more than one wants Redis in STORE_URL.',
  }),
  STOP_GRACE_SECONDS: integer({
    default: '0',
    min: 0,
    max: 600,
    help: 'How long a stopping service goes on serving while /readyz says 503 already, so that balancers turn away first.',
  }),
  CONNECTIONS_PER_ADDRESS: integer({
    default: '1000',
    min: 0,
    max: 1_000_000,
    help: 'Open connections of one address, those of TRUST_PROXY left out; further ones are closed. 0 sets no bound.',
  }),
  LOG_LEVEL: choice({
    default: 'info',
    of: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    help: 'Least severe level that is logged; a line a request is "info".',
  }),
  LOG_FILE_BYTES: integer({
    default: '10485760',
    min: 65_536,
    max: 1_073_741_824,
    help: 'Size at which a log file is closed and the next begun.',
  }),
  LOG_FILES: integer({ default: '14', min: 1, max: 1000, help: 'How many log files are kept.' }),
  ...traceSettings,
} satisfies Record<string, Setting<unknown>>

export type { Setting }
export type SettingName = keyof typeof settings
export type Config = { [Name in SettingName]: NonNullable<ReturnType<(typeof settings)[Name]['parse']>> }
export type Environment = Record<string, string | undefined>

/** A setting with a wrong value stops the start; the message names the setting and the rule. */
export class ConfigError extends Error {}

export const settingList = () => Object.entries<Setting<unknown>>(settings) as [SettingName, Setting<unknown>][]

export interface SettingProblem {
  readonly name: string
  readonly message: string
}

/** What is wrong with the values that are given, and the settings with the default in place of each wrong one. */
export function judgeConfig(environment: Environment): { config: Config; problems: SettingProblem[] } {
  const problems: SettingProblem[] = []
  const config: Record<string, unknown> = {}
  for (const [name, setting] of settingList()) {
    const given = environment[name]?.trim()
    const value = setting.parse(given ?? setting.default)
    if (value === undefined)
      problems.push({ name, message: `${name} must be ${ruleOf(setting, given)}${shown(setting, given)}.` })
    config[name] = value ?? setting.parse(setting.default)
  }
  return { config: config as Config, problems }
}

export function readConfig(environment: Environment): Config {
  const { config, problems } = judgeConfig(environment)
  demandNone(problems)
  return config
}

export function demandNone(problems: readonly SettingProblem[]): void {
  if (problems.length > 0) throw new ConfigError(problems.map(({ message }) => message).join('\n'))
}

const ruleOf = ({ rule, ruleFor }: Setting<unknown>, given: string | undefined) => ruleFor?.(given ?? '') ?? rule

function shown(setting: Setting<unknown>, given: string | undefined): string {
  return setting.secret || given === undefined ? '' : `, not ${JSON.stringify(given.slice(0, 80))}`
}
