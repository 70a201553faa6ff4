#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { ConfigError, type Environment, readConfig, settingList } from '../config.ts'
import { StartError } from '../main.ts'
import { type Command, UsageError } from './command.ts'
import { commands } from './commands/index.ts'
import { commandHelp, flagOf, generalHelp } from './help.ts'
import { readEnvFile } from './settings.ts'

const flags = settingList().map(([name]) => ({ name, flag: flagOf(name) }))

/** The command that the words begin with, and the words that are left. */
function findCommand(words: readonly string[]): { command: Command; rest: string[] } | undefined {
  const command = commands
    .filter(({ name }) => name.split(' ').every((word, i) => word === words[i]))
    .sort((a, b) => b.name.length - a.name.length)[0]
  return command && { command, rest: words.slice(command.name.split(' ').length) }
}

function parse(command: Command, words: string[]) {
  const settingFlags = Object.fromEntries(flags.map(({ flag }) => [flag, { type: 'string' as const }]))
  const known = { help: { type: 'boolean' as const, short: 'h' }, json: { type: 'boolean' as const } }
  try {
    return parseArgs({
      args: words,
      options: { ...settingFlags, ...command.options, ...known },
      allowPositionals: true,
    })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

async function run(words: string[]): Promise<void> {
  const found = findCommand(words)
  if (!found) {
    const asksForHelp = words.length === 0 || words[0] === '--help' || words[0] === '-h' || words[0] === 'help'
    if (!asksForHelp) throw new UsageError(`There is no command "${words.join(' ')}".`)
    process.stdout.write(generalHelp(commands))
    return
  }
  const { command, rest } = found
  const { values, positionals } = parse(command, rest)
  if (values.help) {
    process.stdout.write(commandHelp(command))
    return
  }
  const given: Environment = {}
  for (const { name, flag } of flags) {
    const value = (values as Record<string, unknown>)[flag]
    if (typeof value === 'string') given[name] = value
  }
  const config = readConfig({ ...readEnvFile('.env'), ...process.env, ...given })
  const outcome = await command.run({ config, args: positionals, options: values })
  if (outcome) process.stdout.write(values.json ? `${JSON.stringify(outcome.value)}\n` : `${outcome.text}\n`)
}

try {
  await run(process.argv.slice(2))
} catch (error) {
  const expected = error instanceof ConfigError || error instanceof UsageError || error instanceof StartError
  process.stderr.write(`menagerie: ${expected ? error.message : (error as Error).stack}\n`)
  if (error instanceof UsageError) process.stderr.write('Try --help.\n')
  process.exitCode = 1
}
