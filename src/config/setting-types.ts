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
  /** Also completes that sentence, for this invalid text. Undefined: use `rule`. */
  readonly describeProblem?: (text: string) => string | undefined
  /** The value may contain a password, so it is never printed. */
  readonly secret?: boolean
  /** Returns undefined if the text breaks the rule. */
  readonly parse: (text: string) => T | undefined
}

type CommonFields = Pick<Setting<unknown>, 'help' | 'default' | 'secret'>
/** The default of most texts and lists is empty. */
type TextFields = Omit<CommonFields, 'default'> & { readonly default?: string }

/** Defines a setting type that needs only the common fields. */
const defineSettingType =
  <T>(rule: string, parse: Setting<T>['parse']) =>
  (common: TextFields): Setting<T> => ({ default: '', ...common, rule, parse })

export const integer = (min: number, max: number, common: CommonFields): Setting<number> => ({
  ...common,
  rule: `a whole number from ${min} to ${max}`,
  parse: (text) => {
    const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    return value >= min && value <= max ? value : undefined
  },
})

/** A number of processes. "auto" means one per CPU core. */
export const processes = (max: number, common: CommonFields): Setting<number> => {
  const numberSetting = integer(1, max, common)
  return {
    ...numberSetting,
    rule: `${numberSetting.rule}, or "auto" (one per CPU core)`,
    parse: (text) => (text === 'auto' ? Math.min(max, availableParallelism()) : numberSetting.parse(text)),
  }
}

export const choice = <const T extends string>(choices: readonly T[], common: CommonFields): Setting<T> => ({
  ...common,
  rule: `one of ${choices.join(', ')}`,
  choices,
  parse: (text) => choices.find((value) => value === text),
})

export const text = (pattern: RegExp, common: CommonFields & { rule: string }): Setting<string> => ({
  ...common,
  parse: (given) => (pattern.test(given) ? given : undefined),
})

export const folder = defineSettingType('a folder path', (text) =>
  text.includes('\0') || text === '' ? undefined : resolve(text),
)

export const optionalFolder = defineSettingType('a folder path, or empty', (text) =>
  text.includes('\0') ? undefined : text && resolve(text),
)

export const host = defineSettingType('an IP address or a host name', (text) =>
  isIP(text) || /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(text) ? text : undefined,
)

export const publicUrl = defineSettingType(
  'an absolute http or https URL without query, fragment or credentials, or empty',
  (text) => {
    if (text === '') return ''
    const url = URL.parse(text)
    if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password) return
    return (url.origin + url.pathname).replace(/\/+$/, '')
  },
)

export const webUrl = defineSettingType('an http or https URL, or empty', (text) =>
  text === '' || (/^https?:\/\//.test(text) && URL.canParse(text)) ? text : undefined,
)

const splitList = (text: string, separator: string | RegExp = ',') =>
  text
    .split(separator)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

export const addresses = defineSettingType(
  'a list of IP addresses, CIDRs and "loopback", separated by commas or spaces, or empty',
  (text) => {
    const list = splitList(text, /[\s,]/).flatMap((entry) =>
      entry === 'loopback' ? ['127.0.0.0/8', '::1/128'] : [entry],
    )
    return list.every(isAddressOrCidr) ? list : undefined
  },
)

function isAddressOrCidr(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

/** A prefix of the scheme chooses the format of the messages, as in ntfy+https://…; features/notifications reads it. */
const WEBHOOK = /^(?:(?:discord|ntfy|json)\+)?(https?:\/\/.+)$/

export const webhooks = defineSettingType(
  'a comma-separated list of http or https URLs, each optionally with the prefix discord+, ntfy+ or json+, or empty',
  (text) => {
    const list = splitList(text)
    return list.every((entry) => URL.canParse(WEBHOOK.exec(entry)?.[1] ?? '')) ? list : undefined
  },
)

/** Email addresses become `mailto:` URIs: RFC 9116 requires URIs. */
export const contacts = defineSettingType(
  'a comma-separated list of email addresses and https URLs, or empty',
  (text): string[] | undefined => {
    const list = splitList(text).map((entry) => (EMAIL_ADDRESS.test(entry) ? `mailto:${entry}` : entry))
    return list.every(isContact) ? list : undefined
  },
)

const EMAIL_ADDRESS = /^[^\s@:/]+@[^\s@:/]+$/

const isContact = (text: string) =>
  /^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+|tel:\+?[\d-]+)$/.test(text) && URL.canParse(text)

export const languages = defineSettingType('a comma-separated list of language tags, such as en,de', (text) => {
  const list = splitList(text)
  return list.length > 0 && list.every((tag) => /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i.test(tag)) ? list : undefined
})

/** The host is a name or an address. */
export const hostPorts = defineSettingType('a comma-separated list of host:port, or empty', (text) => {
  const list = splitList(text)
  return list.every(isHostPort) ? list : undefined
})

const isHostPort = (text: string) =>
  /^(?:\[[0-9a-f:.]+\]|[^\s:/@[\]]+):\d{1,5}$/i.test(text) && URL.canParse(`http://${text}`)

/** The first and last port of each range. For a single port both are equal. */
export const ports = defineSettingType(
  'a comma-separated list of ports and port ranges, such as 443,8000-8999',
  (text): [first: number, last: number][] | undefined => {
    const list = splitList(text).map((entry): [number, number] => {
      const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(entry) ?? []
      return [Number(first), Number(last)]
    })
    const areValid = list.every(([first, last]) => first >= 1 && first <= last && last <= 65_535)
    return list.length > 0 && areValid ? list : undefined
  },
)

/** `120/60` means 120 per 60 seconds. `unit` names what is counted. */
export const rate = (
  rateWhenOn: string,
  common: CommonFields,
  unit = 'requests',
): Setting<'off' | { readonly count: number; readonly seconds: number }> => ({
  ...common,
  rule: `"on" (${rateWhenOn}), "off", or ${unit}/seconds, such as ${unit === 'requests' ? '120/60' : rateWhenOn}`,
  parse: (text) => {
    if (text === 'off') return 'off'
    const [, count, seconds] = /^(\d{1,9})\/(\d{1,6})$/.exec(text === 'on' ? rateWhenOn : text) ?? []
    const parsed = { count: Number(count), seconds: Number(seconds) }
    return parsed.count >= 1 && parsed.seconds >= 1 ? parsed : undefined
  },
})

export const pairs = defineSettingType(
  'comma-separated key=value pairs, percent-encoded, or empty',
  (text): Record<string, string> | undefined => {
    const entries = splitList(text).map((entry) => /^([^=\s]+)\s*=\s*(.*)$/.exec(entry)?.slice(1))
    try {
      return entries.every((entry) => entry !== undefined)
        ? Object.fromEntries(entries.map((entry) => entry.map((part) => decodeURIComponent(part))))
        : undefined
    } catch {
      return undefined
    }
  },
)

/** The value stays text, because the store parses it again. */
export const storeUrl = (common: TextFields): Setting<string> => {
  const findProblem = (given: string) => {
    try {
      parseStoreUrl(given)
      return undefined
    } catch (error) {
      return (error as StoreUrlError).message
    }
  }
  return {
    default: '',
    ...common,
    rule: STORE_URL_RULE,
    describeProblem: findProblem,
    secret: true,
    parse: (given) => (findProblem(given) === undefined ? given : undefined),
  }
}
