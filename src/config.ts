// Every setting, once: its type, default, range and one line of help.
// The start-up check, --help, .env.example and docs/settings.md are made from this list.
import { isIP } from 'node:net'
import { resolve } from 'node:path'

export interface Setting<T> {
  readonly help: string
  /** As a person would write it; what `parse` is given where nothing is set. */
  readonly default: string
  /** The rule in words: it completes "NAME must be …". */
  readonly rule: string
  /** A secret's value is never printed. */
  readonly secret?: boolean
  /** Undefined where the text breaks the rule. */
  readonly parse: (text: string) => T | undefined
}

type Wording = { help: string; default: string }

const integer = ({ min, max, ...wording }: Wording & { min: number; max: number }): Setting<number> => ({
  ...wording,
  rule: `a whole number from ${min} to ${max}`,
  parse: (text) => {
    const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    return value >= min && value <= max ? value : undefined
  },
})

const choice = <const T extends string>({ of, ...wording }: Wording & { of: readonly T[] }): Setting<T> => ({
  ...wording,
  rule: `one of ${of.join(', ')}`,
  parse: (text) => of.find((value) => value === text),
})

const folder = (wording: Wording): Setting<string> => ({
  ...wording,
  rule: 'the path of a folder',
  parse: (text) => (text.includes('\0') || text === '' ? undefined : resolve(text)),
})

const isCidr = (text: string) => {
  const [address = '', bits, ...more] = text.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

const addresses = (wording: Wording): Setting<string[]> => ({
  ...wording,
  rule: 'a comma-separated list of IP addresses or CIDRs, "loopback", or empty',
  parse: (text) => {
    const list = splitList(text).flatMap((entry) => (entry === 'loopback' ? ['127.0.0.0/8', '::1/128'] : [entry]))
    return list.every(isCidr) ? list : undefined
  },
})

const splitList = (text: string) =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

const publicUrl = (wording: Wording): Setting<string> => ({
  ...wording,
  rule: 'an absolute http or https URL without query, fragment or credentials, or empty',
  parse: (text) => {
    if (text === '') return ''
    const url = URL.parse(text)
    if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password) return
    return (url.origin + url.pathname).replace(/\/+$/, '')
  },
})

const host = (wording: Wording): Setting<string> => ({
  ...wording,
  rule: 'an IP address or a host name',
  parse: (text) => (isIP(text) || /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(text) ? text : undefined),
})

export const settings = {
  HOST: host({ default: '127.0.0.1', help: 'Address to listen on; 0.0.0.0 or :: opens it to the network.' }),
  PORT: integer({ default: '4010', min: 0, max: 65535, help: 'Port to listen on; 0 takes any free one.' }),
  PUBLIC_URL: publicUrl({
    default: '',
    help: 'Start of absolute URLs in replies; empty takes the scheme and host of each request.',
  }),
  CONTENT_DIR: folder({ default: './content', help: 'Folder with what is served.' }),
  DATA_DIR: folder({ default: './data', help: 'Folder for what the service writes: logs, generated files, state.' }),
  TRUST_PROXY: addresses({ default: '', help: 'Proxies whose forwarded headers are believed.' }),
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
} satisfies Record<string, Setting<unknown>>

export type SettingName = keyof typeof settings
export type Config = { [Name in SettingName]: NonNullable<ReturnType<(typeof settings)[Name]['parse']>> }
export type Environment = Record<string, string | undefined>

/** A setting with a wrong value stops the start; the message names the setting and the rule. */
export class ConfigError extends Error {}

export const settingList = () => Object.entries<Setting<unknown>>(settings) as [SettingName, Setting<unknown>][]

export function readConfig(environment: Environment): Config {
  const problems: string[] = []
  const config: Record<string, unknown> = {}
  for (const [name, setting] of settingList()) {
    const given = environment[name]?.trim()
    const value = setting.parse(given ?? setting.default)
    if (value === undefined) problems.push(`${name} must be ${setting.rule}${shown(setting, given)}.`)
    config[name] = value
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  return config as Config
}

function shown(setting: Setting<unknown>, given: string | undefined): string {
  return setting.secret || given === undefined ? '' : `, not ${JSON.stringify(given.slice(0, 80))}`
}
