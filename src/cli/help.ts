import { listSettings, type SettingName } from '../config/config.ts'
import type { ArgumentSpec, Command, OptionSpec } from './command.ts'

/** A setting as a flag: DATA_DIR is --data-dir. */
export const flagOf = (name: SettingName) => name.toLowerCase().replaceAll('_', '-')

type Row = readonly [string, string]

const columns = (rows: readonly Row[]) => {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}

const section = (title: string, lines: readonly string[]) => (lines.length > 0 ? ['', `${title}:`, ...lines] : [])

const page = (...lines: readonly string[]) => `${lines.join('\n')}\n`

const summaries = (commands: readonly Command[]) => columns(commands.map(({ name, summary }) => [name, summary]))

export const generalHelp = (commands: readonly Command[]) =>
  page(
    'Menagerie: random animals, image filters, developer information, and the API of one application.',
    '',
    'Usage: menagerie <command> [arguments] [options]',
    ...section('Commands', summaries(commands)),
    '',
    'Each command has --help, and --json for programs. All read the same settings, from the environment, from a',
    `file .env, or from flags (--${flagOf('DATA_DIR')} ./data); "menagerie serve --help" lists them.`,
  )

/** What begins with one word: `menagerie release`. */
export const familyHelp = (family: string, commands: readonly Command[]) =>
  page(
    `Usage: menagerie ${family} <command> [arguments] [options]`,
    ...section('Commands', summaries(commands)),
    '',
    `"menagerie ${commands[0]?.name} --help" tells more; so does each of the others.`,
  )

export function usageOf({ name, arguments: args = [] }: Command): string {
  const words = args.map(({ name, optional, many }) => {
    const word = `<${name}>${many ? '…' : ''}`
    return optional ? `[${word}]` : word
  })
  return ['menagerie', name, ...words, '[options]'].join(' ')
}

export function commandHelp(command: Command): string {
  const { summary, arguments: args = [], options = {}, examples = [], settings } = command
  return page(
    summary,
    '',
    `Usage: ${usageOf(command)}`,
    ...section('Arguments', columns(args.map(argumentRow))),
    ...section('Options', columns(Object.entries(options).map(optionRow))),
    ...section(
      'Examples',
      examples.map((example) => `  menagerie ${example}`),
    ),
    ...section('Settings', settingLines(settings)),
    '',
    '--json prints one JSON object, for programs. The exit code is 0 on success, 1 on failure, 2 on wrong words.',
  )
}

const argumentRow = ({ name, help, choices }: ArgumentSpec): Row => [`<${name}>`, withChoices(help, choices)]

const optionRow = ([name, { short, value, help, choices, multiple }]: [string, OptionSpec]): Row => [
  `${short ? `-${short}, ` : ''}--${name}${value ? ` <${value}>` : ''}`,
  `${withChoices(help, choices)}${multiple ? ' May be given several times.' : ''}`,
]

const withChoices = (help: string, choices: readonly string[] | undefined) =>
  choices ? `${help} One of ${choices.join(', ')}.` : help

/** A setting that matters to one command among others is named; where all matter, the whole of each is told. */
function settingLines(names: readonly SettingName[] | undefined): string[] {
  return listSettings()
    .filter(([name]) => names === undefined || names.includes(name))
    .flatMap(([name, { help, rule, default: value }]) => [
      `  ${name}, or --${flagOf(name)}`,
      `    ${help}`,
      ...(names === undefined ? [`    Must be ${rule}; default ${value === '' ? 'none' : value}.`] : []),
    ])
}
