// Turns the words after a command into what it declared; every mistake is a sentence.
import { parseArgs } from 'node:util'
import { type Environment, listSettings } from '../config/config.ts'
import {
  type ArgumentSpec,
  type Command,
  type CommandInput,
  type OptionSpec,
  type OptionSpecs,
  UsageError,
} from './command.ts'
import { flagOf, usageOf } from './help.ts'
import { didYouMean } from './nearest.ts'

export const commonOptions = {
  help: { type: 'boolean', short: 'h', help: 'Shows this help.' },
  json: { type: 'boolean', help: 'Prints one JSON object, for programs.' },
} as const satisfies OptionSpecs

const flags = listSettings().map(([name, { help }]) => ({ name, flag: flagOf(name), help }))
const settingOptions: OptionSpecs = Object.fromEntries(
  flags.map(({ flag, help }) => [flag, { type: 'string', help } as const]),
)

type Given = Record<string, string | boolean | readonly string[] | undefined>

export interface Parsed {
  readonly help: boolean
  readonly json: boolean
  readonly settings: Environment
  readonly options: CommandInput['options']
  /** Checked when asked for: a call for help may lack arguments. */
  args(): CommandInput['args']
}

export function parseCommand(command: Command, words: readonly string[]): Parsed {
  const own = command.options ?? {}
  const specs: OptionSpecs = { ...settingOptions, ...own, ...commonOptions }
  const options: Record<string, { type: 'string' | 'boolean'; short?: string }> = specs
  const { tokens } = parseArgs({ args: [...words], options, allowPositionals: true, strict: false, tokens: true })
  const given: Given = Object.fromEntries(Object.entries(own).map(([name, spec]) => [name, emptyOf(spec)]))
  const seen = new Set<string>()
  const positionals: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName } = token
    const spec = Object.hasOwn(specs, name) ? specs[name] : undefined
    if (!spec) throw new UsageError(`There is no option ${rawName}${didYouMean(rawName, Object.keys(specs).map(flag))}`)
    if (seen.has(name) && !spec.multiple) throw new UsageError(`${rawName} is given twice.`)
    seen.add(name)
    const value = readValue(spec, rawName, token)
    given[name] = spec.multiple ? [...((given[name] ?? []) as string[]), String(value)] : value
  }
  const settings = flags.flatMap(({ name, flag }) => (typeof given[flag] === 'string' ? [[name, given[flag]]] : []))
  return {
    help: given.help === true,
    json: given.json === true,
    settings: Object.fromEntries(settings),
    // Of the form that the command declared.
    options: given as CommandInput['options'],
    args: () => namedArguments(command, positionals) as CommandInput['args'],
  }
}

const flag = (name: string) => `--${name}`
const emptyOf = ({ type, multiple }: OptionSpec) => (type === 'boolean' ? false : multiple ? [] : undefined)

function readValue(
  spec: OptionSpec,
  rawName: string,
  token: { value?: string | undefined; inlineValue?: boolean | undefined },
) {
  const { value, inlineValue } = token
  if (spec.type === 'boolean') {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value.`)
    return true
  }
  // `--notes --beta`: the value was forgotten; one that begins so can be given as --notes=--beta.
  if (value === undefined || (!inlineValue && value.startsWith('--'))) {
    throw new UsageError(`${rawName} needs a value: ${rawName} <${spec.value ?? 'value'}>.`)
  }
  demandChoice(rawName, value, spec.choices)
  return value
}

function namedArguments(command: Command, given: readonly string[]): Given {
  const specs = command.arguments ?? []
  const named = specs.map((spec, index) => {
    const values = spec.many ? given.slice(index) : given.slice(index, index + 1)
    if (values.length === 0 && !spec.optional) throw new UsageError(missing(command, spec))
    for (const value of values) demandChoice(`<${spec.name}>`, value, spec.choices)
    return [spec.name, spec.many ? values : values[0]]
  })
  const extra = specs.at(-1)?.many ? undefined : given[specs.length]
  if (extra !== undefined) throw new UsageError(`"${extra}" is one argument too many: ${usageOf(command)}`)
  return Object.fromEntries(named)
}

const missing = (command: Command, { name, help }: ArgumentSpec) =>
  `<${name}> is missing (${help.replace(/\.$/, '')}): ${usageOf(command)}`

function demandChoice(what: string, value: string, choices: readonly string[] | undefined): void {
  if (!choices || choices.includes(value)) return
  throw new UsageError(`${what} must be one of ${choices.join(', ')}, not "${value}"${didYouMean(value, choices)}`)
}
