// Finds the command on a command line and parses its arguments and options. Every mistake is a UsageError.
import { parseArgs } from 'node:util'
import { type Environment, listSettings, type SettingName, settingNames } from '../config/config.ts'
import { UsageError } from '../errors/index.ts'
import { type Command, type CommandInput, commonOptions, type OptionSpec, type OptionSpecs } from './command.ts'
import { flagName, formatUsage } from './help.ts'

type FoundCommand =
  | { readonly command: Command; readonly rest: readonly string[] }
  /** Only the first word of two-word commands: `menagerie release`. */
  | { readonly group: string; readonly commands: readonly Command[] }
  | 'start'
  | 'help'
  | 'version'

const HELP_WORDS = ['help', '--help', '-h']

export function findCommand(commands: readonly Command[], words: readonly string[]): FoundCommand {
  const [first, second = 'help'] = words
  if (first === undefined) return 'start'
  // `menagerie help release publish`
  if (first === 'help' && words.length > 1) return findCommand(commands, [...words.slice(1), '--help'])
  if (HELP_WORDS.includes(first)) return 'help'
  if (first === '--version') return 'version'
  if (first.startsWith('-')) throw new UsageError(`The command must come before options such as ${first}.`)

  for (const command of commands) {
    const name = command.name.split(' ')
    if (name.every((word, index) => word === words[index])) return { command, rest: words.slice(name.length) }
  }
  const group = commands.filter(({ name }) => name.startsWith(`${first} `))
  if (group.length > 0 && HELP_WORDS.includes(second)) return { group: first, commands: group }
  if (group.length > 0 && (second === '' || second.startsWith('-'))) {
    const subcommands = group.map(({ name }) => name.split(' ')[1]).join(', ')
    throw new UsageError(`"${first}" needs a subcommand: ${subcommands}.`)
  }
  throw new UsageError(describeUnknownCommand(commands, words))
}

function describeUnknownCommand(commands: readonly Command[], words: readonly string[]): string {
  const [first = '', ...rest] = words.slice(0, 2).filter((word) => !word.startsWith('-'))
  const typed = [first, ...rest].join(' ')
  const names = commands.map(({ name }) => name)
  const firstWords = names.map((name) => name.split(' ')[0] ?? '')
  const similar = findSimilar(typed, names) ?? findSimilar(first, firstWords)
  return `There is no command "${typed}".${similar ? ` Did you mean "${similar}"?` : ''}`
}

/** An option for each setting: --data-dir sets DATA_DIR. */
export const settingOptions = (names: readonly SettingName[] = settingNames): OptionSpecs =>
  Object.fromEntries(
    listSettings()
      .filter(([name]) => names.includes(name))
      .map(([name, { help, choices }]) => {
        const completes = name.endsWith('_DIR') ? ('folders' as const) : undefined
        return [flagName(name), { value: 'value', help, choices, completes }]
      }),
  )

/** Not strict, because the messages of Node name neither similar options nor the expected value. */
export function tokenize(specs: OptionSpecs, words: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries(specs).map(([name, { short, value }]) => [
      name,
      { type: value ? ('string' as const) : ('boolean' as const), ...(short && { short }) },
    ]),
  )
  return parseArgs({ args: [...words], options, allowPositionals: true, strict: false, tokens: true }).tokens
}

type Values = Record<string, string | boolean | readonly string[] | undefined>

export function parseCommand(command: Command, words: readonly string[]) {
  const own = command.options ?? {}
  const specs: OptionSpecs = { ...settingOptions(), ...own, ...commonOptions }
  const values: Values = Object.fromEntries(Object.entries(own).map(([name, spec]) => [name, defaultValue(spec)]))
  const seen = new Set<string>()
  const positionals: string[] = []
  for (const token of tokenize(specs, words)) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName } = token
    const spec = Object.hasOwn(specs, name) ? specs[name] : undefined
    if (!spec) {
      const flags = Object.keys(specs).map((name) => `--${name}`)
      throw new UsageError(`There is no option ${rawName}${didYouMean(rawName, flags)}`)
    }
    if (seen.has(name) && !spec.multiple) throw new UsageError(`${rawName} may be given only once.`)
    seen.add(name)
    const value = readOptionValue(spec, token)
    // Settings are checked later, together with those from the environment.
    if (typeof value === 'string' && own[name]) assertChoice(rawName, value, spec.choices)
    values[name] = spec.multiple ? [...((values[name] ?? []) as string[]), String(value)] : value
  }
  const settings = settingNames.map((name) => [name, values[flagName(name)]]).filter(([, value]) => value !== undefined)
  return {
    help: values.help === true,
    json: values.json === true,
    server: values.server as string | undefined,
    settings: Object.fromEntries(settings) as Environment,
    options: values as CommandInput['options'],
    /** Throws if arguments are missing or invalid. Do not call it with --help: arguments may be missing then. */
    readArguments: () => nameArguments(command, positionals) as CommandInput['args'],
  }
}

const defaultValue = ({ value, multiple }: OptionSpec) => (value ? (multiple ? [] : undefined) : false)

interface OptionToken {
  readonly rawName: string
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}

function readOptionValue(spec: OptionSpec, { rawName, value, inlineValue }: OptionToken): string | boolean {
  if (!spec.value) {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value.`)
    return true
  }
  // `--notes --beta` lacks a value. A value that starts with -- can be written as --notes=--beta.
  if (value === undefined || (!inlineValue && value.startsWith('--')))
    throw new UsageError(`${rawName} needs a value: ${rawName} <${spec.value}>.`)
  return value
}

function nameArguments(command: Command, positionals: readonly string[]): Values {
  const specs = command.arguments ?? []
  const named = specs.map((spec, index) => {
    const values = spec.many ? positionals.slice(index) : positionals.slice(index, index + 1)
    if (values.length === 0 && !spec.optional)
      throw new UsageError(`The argument <${spec.name}> is missing. Usage: ${formatUsage(command)}`)
    for (const value of values) assertChoice(`<${spec.name}>`, value, spec.choices)
    return [spec.name, spec.many ? values : values[0]]
  })
  const extra = specs.at(-1)?.many ? undefined : positionals[specs.length]
  if (extra !== undefined) throw new UsageError(`Unexpected argument "${extra}". Usage: ${formatUsage(command)}`)
  return Object.fromEntries(named)
}

function assertChoice(name: string, value: string, choices: readonly string[] | undefined): void {
  if (!choices || choices.includes(value)) return
  throw new UsageError(`${name} must be one of ${choices.join(', ')}, not "${value}"${didYouMean(value, choices)}`)
}

const UNIT_MS: Record<string, number> = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 }

/** Returns the end of a duration ("12h", "90d", "4w") that starts now, or a date, in milliseconds since 1970. */
export function parseExpiry(text: string, now: number, option: string): number {
  const [, number, unit = ''] = /^(\d{1,5})([hdw])$/.exec(text) ?? []
  const at = number === undefined ? parseDate(text) : now + Number(number) * (UNIT_MS[unit] ?? 0)
  if (Number.isNaN(at))
    throw new UsageError(
      `${option} must be a duration such as 12h, 90d or 4w, or a date such as 2027-01-01, not "${text}".`,
    )
  if (at <= now) throw new UsageError(`${option} must be in the future, not "${text}".`)
  return at
}

function parseDate(text: string): number {
  const at = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : Number.NaN
  // JavaScript reads 30 February as 2 March.
  const day = new Date(text.slice(0, 10))
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10)) ? at : Number.NaN
}

const MAX_DISTANCE = 3

/** Returns the candidate that was probably meant, or undefined if none is similar. */
export function findSimilar(word: string, candidates: readonly string[]): string | undefined {
  const [nearest] = candidates
    .map((candidate) => ({ candidate, distance: editDistance(word.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  // Almost every word is within three edits of a short word.
  return nearest && nearest.distance <= Math.min(MAX_DISTANCE, word.length / 2) ? nearest.candidate : undefined
}

/** Ends a sentence about an unknown word. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const similar = findSimilar(word, candidates)
  return similar ? `. Did you mean ${similar}?` : '.'
}

/** Damerau-Levenshtein distance: insertions, deletions, replacements and swaps of neighbours. */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, i) => i)]
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0
  for (let i = 1; i <= a.length; i++) {
    rows[i] = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : replaced
      rows[i]![j] = Math.min(replaced, swapped, at(i - 1, j) + 1, at(i, j - 1) + 1)
    }
  }
  return at(a.length, b.length)
}
