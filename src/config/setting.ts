// The kinds of settings: how a text is read, and the rule in words that a wrong one is answered with.
import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { readStoreUrl, type StoreUrlError, storeUrlRule } from './store-url.ts'

export interface Setting<T> {
  readonly help: string
  /** As a person would write it; what `parse` is given where nothing is set. */
  readonly default: string
  /** The rule in words: it completes "NAME must be …". */
  readonly rule: string
  /** All values that there are, where they can be listed. */
  readonly choices?: readonly string[]
  /** The rule with what is wrong about a text that breaks it, where that can be told. */
  readonly ruleFor?: (text: string) => string
  /** A secret's value is never printed. */
  readonly secret?: boolean
  /** Undefined where the text breaks the rule. */
  readonly parse: (text: string) => T | undefined
}

type Wording = { help: string; default: string }

export const integer = ({ min, max, ...wording }: Wording & { min: number; max: number }): Setting<number> => ({
  ...wording,
  rule: `a whole number from ${min} to ${max}`,
  parse: (text) => {
    const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    return value >= min && value <= max ? value : undefined
  },
})

/** A number of processes; "auto" stands for the cores of this machine. */
export const processes = ({ max, ...wording }: Wording & { max: number }): Setting<number> => {
  const number = integer({ ...wording, min: 1, max })
  return {
    ...number,
    rule: `${number.rule}, or "auto" for one a core`,
    parse: (text) => (text === 'auto' ? Math.min(max, availableParallelism()) : number.parse(text)),
  }
}

export const choice = <const T extends string>({ of, ...wording }: Wording & { of: readonly T[] }): Setting<T> => ({
  ...wording,
  rule: `one of ${of.join(', ')}`,
  choices: of,
  parse: (text) => of.find((value) => value === text),
})

export const folder = (wording: Wording): Setting<string> => ({
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

export const addresses = (wording: Wording): Setting<string[]> => ({
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

export const publicUrl = (wording: Wording): Setting<string> => ({
  ...wording,
  rule: 'an absolute http or https URL without query, fragment or credentials, or empty',
  parse: (text) => {
    if (text === '') return ''
    const url = URL.parse(text)
    if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password) return
    return (url.origin + url.pathname).replace(/\/+$/, '')
  },
})

export const host = (wording: Wording): Setting<string> => ({
  ...wording,
  rule: 'an IP address or a host name',
  parse: (text) => (isIP(text) || /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(text) ? text : undefined),
})

/** Text of a form that a pattern tells. */
export const text = ({
  pattern,
  rule,
  ...wording
}: Wording & { pattern: RegExp; rule: string; secret?: boolean }): Setting<string> => ({
  ...wording,
  rule,
  parse: (given) => (pattern.test(given) ? given : undefined),
})

/** Where state is kept; a text, because the store reads it again. */
export const storeUrl = (wording: Wording): Setting<string> => {
  const wrong = (given: string) => {
    try {
      readStoreUrl(given)
      return undefined
    } catch (error) {
      return (error as StoreUrlError).message
    }
  }
  return {
    ...wording,
    rule: storeUrlRule,
    ruleFor: (given) => wrong(given) ?? storeUrlRule,
    secret: true,
    parse: (given) => (wrong(given) === undefined ? given : undefined),
  }
}

export const webUrl = (wording: Wording & { secret?: boolean }): Setting<string> => ({
  ...wording,
  rule: 'an http or https URL, or empty',
  parse: (given) => (given === '' || (/^https?:\/\//.test(given) && URL.canParse(given)) ? given : undefined),
})

/** `host:port`, where the host may be a name or an address. */
export const hostPorts = (wording: Wording): Setting<string[]> => ({
  ...wording,
  rule: 'a comma-separated list of host:port, or empty',
  parse: (given) => {
    const list = splitList(given)
    return list.every(isHostPort) ? list : undefined
  },
})

const isHostPort = (text: string) =>
  /^(?:\[[0-9a-f:.]+\]|[^\s:/@[\]]+):\d{1,5}$/i.test(text) && URL.canParse(`http://${text}`)

/** First and last of each range; a port by itself is both. */
export const ports = (wording: Wording): Setting<[first: number, last: number][]> => ({
  ...wording,
  rule: 'a comma-separated list of ports and ranges of ports such as 443,8000-8999',
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

/** `120/60`: so many requests in so many seconds; "on" stands for what `on` says. */
export const rate = ({ on, ...wording }: Wording & { on: string }): Setting<Rate | 'off'> => ({
  ...wording,
  rule: `"on" (${on}), "off", or requests/seconds such as 120/60`,
  parse: (given) => {
    if (given === 'off') return 'off'
    const [, requests, seconds] = /^(\d{1,9})\/(\d{1,6})$/.exec(given === 'on' ? on : given) ?? []
    const read = { requests: Number(requests), seconds: Number(seconds) }
    return read.requests >= 1 && read.seconds >= 1 ? read : undefined
  },
})
