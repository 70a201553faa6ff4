import { listSettings, type SettingName } from '../config/config.ts'
import { formatProgramCall, ROOT } from '../config/root.ts'
import { type ArgumentSpec, type Command, commonOptions, type OptionSpec } from './command.ts'
import { paint } from './text.ts'

/** The flag of a setting: DATA_DIR is --data-dir. */
export const flagName = (name: SettingName) => name.toLowerCase().replaceAll('_', '-')

/** A call of this program that can be copied, here and now. */
export const formatCommand = (words: string) => `${formatProgramCall(ROOT, process.cwd())} ${words}`

/** Width of the terminal. Undefined: the help is not wrapped. */
type Width = number | undefined
type Row = readonly [string, string]

const MAX_WIDTH = 100

/** Breaks a text at spaces. Later lines are indented. */
function wrap(text: string, width: Width, indent = ''): string {
  if (width === undefined) return text
  const available = Math.min(width, MAX_WIDTH) - indent.length
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const isFull = line !== '' && line.length + 1 + word.length > available
    if (isFull) lines.push(line)
    line = line === '' || isFull ? word : `${line} ${word}`
  }
  return [...lines, line].join(`\n${indent}`)
}

const formatColumns = (rows: readonly Row[], width: Width) => {
  const longest = Math.max(0, ...rows.map(([left]) => left.length))
  const indent = ' '.repeat(longest + 4)
  return rows.map(([left, right]) => `  ${left.padEnd(longest)}  ${wrap(right, width, indent)}`)
}

const section = (title: string, lines: readonly string[]) =>
  lines.length > 0 ? ['', paint('bold', title), ...lines] : []

const joinLines = (...lines: readonly string[]) => `${lines.join('\n')}\n`

/** Lists show the first sentence of a summary. */
const shorten = (summary: string) => `${summary.split(/\.(?: |$)/)[0]}.`

const commandRows = (commands: readonly Command[], width: Width) =>
  formatColumns(
    commands.map(({ name, summary }) => [name, shorten(summary)]),
    width,
  )

const ABOUT =
  'Menagerie: random animals, image filters, developer information, and the API of one product (launcher, reshade, fpsUnlocker).'

const USAGE = '<command> [arguments] [options]'

/** `menagerie` */
export const startHelp = (commands: readonly Command[], width: Width) =>
  joinLines(
    wrap(ABOUT, width),
    '',
    `Usage: ${formatCommand(USAGE)}`,
    ...section('Most used commands', commandRows(commands, width)),
    '',
    `All commands: ${formatCommand('--help')}`,
    `One command:  ${formatCommand('<command> --help')}`,
  )

/** `menagerie --help` */
export const generalHelp = (topics: Readonly<Record<string, readonly Command[]>>, width: Width) =>
  joinLines(
    wrap(ABOUT, width),
    '',
    `Usage: ${formatCommand(USAGE)}`,
    ...formatTopics(topics, width),
    ...section('Options of every command', formatColumns(Object.entries(commonOptions).map(optionRow), width)),
    '',
    wrap(
      'Settings come from flags (--data-dir ./data), the environment or a .env file. "serve --help" lists them.',
      width,
    ),
    EXIT_CODES,
  )

/** The right columns of all topics are aligned. */
function formatTopics(topics: Readonly<Record<string, readonly Command[]>>, width: Width): string[] {
  const rows = commandRows(Object.values(topics).flat(), width)
  return Object.entries(topics).flatMap(([topic, commands]) => section(topic, rows.splice(0, commands.length)))
}

const EXIT_CODES = 'Exit codes: 0 success, 1 failure, 2 usage error.'

/** `menagerie release` */
export const groupHelp = (group: string, commands: readonly Command[], width: Width) =>
  joinLines(
    `Usage: ${formatCommand(`${group} ${USAGE}`)}`,
    ...section('Commands', commandRows(commands, width)),
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
export function describeCommand(command: Command, width: Width, format = formatCommand): string {
  const { summary, arguments: args = [], options = {}, examples = [] } = command
  return joinLines(
    wrap(summary, width),
    '',
    `Usage: ${formatUsage(command, format)}`,
    ...section('Arguments', formatColumns(args.map(argumentRow), width)),
    ...section('Options', formatColumns(Object.entries(options).map(optionRow), width)),
    ...section(
      'Examples',
      examples.map((example) => `  ${format(example)}`),
    ),
  )
}

/** `menagerie release publish --help` */
export const commandHelp = (command: Command, width?: number) =>
  joinLines(
    describeCommand(command, width).trimEnd(),
    ...section('Settings', settingLines(command.settings, width)),
    '',
    `--json prints one JSON object. ${EXIT_CODES}`,
    ...(command.actsOn === undefined ? ['--server <URL> acts on a remote service; "login --help" explains it.'] : []),
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
function settingLines(names: readonly SettingName[] | undefined, width: Width): string[] {
  const indent = (text: string) => `    ${wrap(text, width, '    ')}`
  return listSettings()
    .filter(([name]) => names === undefined || names.includes(name))
    .flatMap(([name, { help, rule, default: value }]) => [
      `  ${name}, --${flagName(name)}`,
      indent(help),
      ...(names === undefined ? [indent(`Must be ${rule}. Default: ${value === '' ? 'empty' : value}`)] : []),
    ])
}
