// The types of settings: how each parses its text, and the rule that an error message states.
import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { parseStoreUrl, STORE_URL_RULE, type StoreUrlError } from './store-url.ts'

export interface Setting<T> {
  readonly help: string
  /** The text that `parse` gets when the setting is not set. */
  readonly default: string
  /** Completes the sentence "NAME must be …". */
  readonly rule: string
  /** All valid values, if there are few. */
  readonly choices?: readonly string[]
  /** Like `rule`, but also says what is wrong with this text. */
  readonly describeProblem?: (text: string) => string
  /** The value may contain a password, so it is never printed. */
  readonly secret?: boolean
  /** Returns undefined if the text breaks the rule. */
  readonly parse: (text: string) => T | undefined
}

type SettingText = { help: string; default: string }

export const integer = ({ min, max, ...common }: SettingText & { min: number; max: number }): Setting<number> => ({
  ...common,
  rule: `a whole number from ${min} to ${max}`,
  parse: (text) => {
    const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    return value >= min && value <= max ? value : undefined
  },
})

/** A number of processes. "auto" means one per CPU core. */
export const processes = ({ max, ...common }: SettingText & { max: number }): Setting<number> => {
  const number = integer({ ...common, min: 1, max })
  return {
    ...number,
    rule: `${number.rule}, or "auto" (one per CPU core)`,
    parse: (text) => (text === 'auto' ? Math.min(max, availableParallelism()) : number.parse(text)),
  }
}

export const choice = <const T extends string>({ of, ...common }: SettingText & { of: readonly T[] }): Setting<T> => ({
  ...common,
  rule: `one of ${of.join(', ')}`,
  choices: of,
  parse: (text) => of.find((value) => value === text),
})

export const folder = (common: SettingText): Setting<string> => ({
  ...common,
  rule: 'a folder path',
  parse: (text) => (text.includes('\0') || text === '' ? undefined : resolve(text)),
})

const isCidr = (text: string) => {
  const [address = '', bits, ...more] = text.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

export const addresses = (common: SettingText): Setting<string[]> => ({
  ...common,
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

export const publicUrl = (common: SettingText): Setting<string> => ({
  ...common,
  rule: 'an absolute http or https URL without query, fragment or credentials, or empty',
  parse: (text) => {
    if (text === '') return ''
    const url = URL.parse(text)
    if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password) return
    return (url.origin + url.pathname).replace(/\/+$/, '')
  },
})

export const host = (common: SettingText): Setting<string> => ({
  ...common,
  rule: 'an IP address or a host name',
  parse: (text) => (isIP(text) || /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(text) ? text : undefined),
})

/** Text that must match a pattern. */
export const text = ({
  pattern,
  rule,
  ...common
}: SettingText & { pattern: RegExp; rule: string; secret?: boolean }): Setting<string> => ({
  ...common,
  rule,
  parse: (given) => (pattern.test(given) ? given : undefined),
})

/** The value stays text, because the store parses it again. */
export const storeUrl = (common: SettingText): Setting<string> => {
  const findProblem = (given: string) => {
    try {
      parseStoreUrl(given)
      return undefined
    } catch (error) {
      return (error as StoreUrlError).message
    }
  }
  return {
    ...common,
    rule: STORE_URL_RULE,
    describeProblem: (given) => findProblem(given) ?? STORE_URL_RULE,
    secret: true,
    parse: (given) => (findProblem(given) === undefined ? given : undefined),
  }
}

export const webUrl = (common: SettingText & { secret?: boolean }): Setting<string> => ({
  ...common,
  rule: 'an http or https URL, or empty',
  parse: (given) => (given === '' || (/^https?:\/\//.test(given) && URL.canParse(given)) ? given : undefined),
})

/** `host:port`. The host is a name or an address. */
export const hostPorts = (common: SettingText): Setting<string[]> => ({
  ...common,
  rule: 'a comma-separated list of host:port, or empty',
  parse: (given) => {
    const list = splitList(given)
    return list.every(isHostPort) ? list : undefined
  },
})

const isHostPort = (text: string) =>
  /^(?:\[[0-9a-f:.]+\]|[^\s:/@[\]]+):\d{1,5}$/i.test(text) && URL.canParse(`http://${text}`)

/** The first and last port of each range. For a single port both are equal. */
export const ports = (common: SettingText): Setting<[first: number, last: number][]> => ({
  ...common,
  rule: 'a comma-separated list of ports and port ranges, such as 443,8000-8999',
  parse: (given) => {
    const list = splitList(given).map((entry): [number, number] => {
      const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(entry) ?? []
      return [Number(first), Number(last)]
    })
    return list.length > 0 && list.every(([first, last]) => first >= 1 && first <= last && last <= 65_535)
      ? list
      : undefined
  },
})

interface Rate {
  readonly requests: number
  readonly seconds: number
}

/** `120/60` means 120 requests in 60 seconds. "on" means the rate given as `on`. */
export const rate = ({ on, ...common }: SettingText & { on: string }): Setting<Rate | 'off'> => ({
  ...common,
  rule: `"on" (${on}), "off", or requests/seconds, such as 120/60`,
  parse: (given) => {
    if (given === 'off') return 'off'
    const [, requests, seconds] = /^(\d{1,9})\/(\d{1,6})$/.exec(given === 'on' ? on : given) ?? []
    const read = { requests: Number(requests), seconds: Number(seconds) }
    return read.requests >= 1 && read.seconds >= 1 ? read : undefined
  },
})

/** `key=value,key=value`, percent-encoded. */
export const pairs = (
  common: Omit<SettingText, 'default'> & { secret?: boolean },
): Setting<Record<string, string>> => ({
  ...common,
  default: '',
  rule: 'comma-separated key=value pairs, percent-encoded, or empty',
  parse: (given) => {
    const entries = splitList(given).map((entry) => /^([^=\s]+)\s*=\s*(.*)$/.exec(entry))
    try {
      return entries.includes(null)
        ? undefined
        : Object.fromEntries(entries.map((entry) => [entry![1]!, decodeURIComponent(entry![2]!)]))
    } catch {
      return undefined
    }
  },
})

/** The OpenTelemetry specification treats an empty variable as unset. */
export const emptyIsUnset = <T>(setting: Setting<T>): Setting<T> => ({
  ...setting,
  parse: (given) => setting.parse(given === '' ? setting.default : given),
})
