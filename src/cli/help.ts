import { listSettings, type SettingName } from '../config/config.ts'
import { formatProgramCall } from '../config/program-call.ts'
import { ROOT } from '../config/root.ts'
import type { ArgumentSpec, Command, OptionSpec } from './command.ts'

/** The flag of a setting: DATA_DIR is --data-dir. */
export const flagName = (name: SettingName) => name.toLowerCase().replaceAll('_', '-')

/** A call of this program that can be copied, here and now. */
export const formatCommand = (words: string) => `${formatProgramCall(ROOT, process.cwd())} ${words}`

type Row = readonly [string, string]

const formatColumns = (rows: readonly Row[]) => {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}

const section = (title: string, lines: readonly string[]) => (lines.length > 0 ? ['', `${title}:`, ...lines] : [])

const joinLines = (...lines: readonly string[]) => `${lines.join('\n')}\n`

const commandRows = (commands: readonly Command[]) =>
  formatColumns(commands.map(({ name, summary }) => [name, summary]))

/** `menagerie --help` */
export const generalHelp = (commands: readonly Command[]) =>
  joinLines(
    'Menagerie: random animals, image filters, developer information, and the API of one product (launcher, reshade, ' +
      'fpsUnlocker).',
    '',
    `Usage: ${formatCommand('<command> [arguments] [options]')}`,
    ...section('Commands', commandRows(commands)),
    '',
    'Every command has --help and --json. Settings come from flags (--data-dir ./data), the environment or a .env file.',
    '"serve --help" lists all settings. --server <url> acts on a remote service, as do most commands after "login".',
  )

/** `menagerie release` */
export const groupHelp = (group: string, commands: readonly Command[]) =>
  joinLines(
    `Usage: ${formatCommand(`${group} <command> [arguments] [options]`)}`,
    ...section('Commands', commandRows(commands)),
    '',
    `"${group} <command> --help" shows the options of a command.`,
  )

export function formatUsage({ name, arguments: args = [] }: Command, format = formatCommand): string {
  const words = args.map(({ name, optional, many }) => {
    const word = `<${name}>${many ? '…' : ''}`
    return optional ? `[${word}]` : word
  })
  return format([name, ...words, '[options]'].join(' '))
}

/** The help without what all commands have in common. */
export function describeCommand(command: Command, format = formatCommand): string {
  const { summary, arguments: args = [], options = {}, examples = [] } = command
  return joinLines(
    summary,
    '',
    `Usage: ${formatUsage(command, format)}`,
    ...section('Arguments', formatColumns(args.map(argumentRow))),
    ...section('Options', formatColumns(Object.entries(options).map(optionRow))),
    ...section(
      'Examples',
      examples.map((example) => `  ${format(example)}`),
    ),
  )
}

/** `menagerie release publish --help` */
export const commandHelp = (command: Command) =>
  joinLines(
    describeCommand(command).trimEnd(),
    ...section('Settings', settingLines(command.settings)),
    '',
    '--json prints one JSON object. Exit codes: 0 success, 1 failure, 2 usage error.',
    ...(command.actsOn === 'service' ? ['--server <URL> acts on a remote service; "login --help" explains it.'] : []),
  )

const argumentRow = ({ name, help, choices, many }: ArgumentSpec): Row => [
  `<${name}>`,
  withChoices(help, choices, many ? 'Any of' : 'One of'),
]

const optionRow = ([name, { short, value, help, choices, multiple }]: [string, OptionSpec]): Row => [
  `${short ? `-${short}, ` : ''}--${name}${value ? ` <${value}>` : ''}`,
  `${withChoices(help, choices)}${multiple ? ' Can be repeated.' : ''}`,
]

const withChoices = (help: string, choices: readonly string[] | undefined, label = 'One of') =>
  choices ? `${help} ${label}: ${choices.join(', ')}.` : help

/** Rules and defaults are only listed if the command uses all settings. */
function settingLines(names: readonly SettingName[] | undefined): string[] {
  return listSettings()
    .filter(([name]) => names === undefined || names.includes(name))
    .flatMap(([name, { help, rule, default: value }]) => [
      `  ${name}, --${flagName(name)}`,
      `    ${help}`,
      ...(names === undefined ? [`    Must be ${rule}. Default: ${value === '' ? 'empty' : value}`] : []),
    ])
}
