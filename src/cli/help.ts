import { type SettingName, settingList } from '../config.ts'
import type { Command } from './command.ts'

/** A setting as a flag: DATA_DIR is --data-dir. */
export const flagOf = (name: SettingName) => name.toLowerCase().replaceAll('_', '-')

const columns = (rows: readonly (readonly [string, string])[]) => {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}

export function generalHelp(commands: readonly Command[]): string {
  return `Menagerie: random animals, image filters, developer information, and the API of one application.

Usage: menagerie <command> [arguments] [options]

Commands:
${columns(commands.map(({ name, summary }) => [name, summary]))}

Each command has --help, and --json for programs. Settings are the same for all:

${settingsHelp()}
`
}

export function commandHelp({ name, summary, usage = '', options = {} }: Command): string {
  const rows = Object.entries(options).map(
    ([option, { short, value, help }]) =>
      [`${short ? `-${short}, ` : ''}--${option}${value ? ` <${value}>` : ''}`, help] as const,
  )
  const own = rows.length > 0 ? `\nOptions:\n${columns(rows)}\n` : ''
  return `${summary}

Usage: ${['menagerie', name, usage].filter(Boolean).join(' ')} [options]
${own}
Settings:
${settingsHelp()}
`
}

function settingsHelp(): string {
  const rows = settingList().map(
    ([name, { help, rule, default: value }]) =>
      [name, `${help}\n${' '.repeat(4)}${rule}; default ${value === '' ? 'none' : value}`] as const,
  )
  return `${rows.map(([name, text]) => `  ${name}\n    ${text}`).join('\n')}

Set them in the environment, in a file .env, or as flags (--${flagOf('DATA_DIR')} ./data).`
}
