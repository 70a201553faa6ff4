#!/usr/bin/env node
import { styleText } from 'node:util'
import { readConfig } from '../config.ts'
import { askerOn } from './ask.ts'
import { type Outcome, UsageError } from './command.ts'
import { commands } from './commands/index.ts'
import { findCommand } from './find.ts'
import { commandHelp, familyHelp, generalHelp } from './help.ts'
import { parseWords } from './parse.ts'
import { startProgress } from './progress.ts'
import { sentenceFor } from './sentence.ts'
import { readEnvFile } from './settings.ts'

const { stdin, stdout, stderr } = process

async function run(words: readonly string[]): Promise<void> {
  const found = findCommand(commands, words)
  if (found === 'help') return say(generalHelp(commands))
  if (found === 'version') return say(await versionLine())
  if ('family' in found) return say(familyHelp(found.family, found.commands))

  const { command, rest } = found
  const { help, json, settings, options, args } = parseWords(command, rest)
  if (help) return say(commandHelp(command))
  const outcome = await command.run({
    config: readConfig({ ...readEnvFile('.env'), ...process.env, ...settings }),
    args: args(),
    options,
    json,
    ask: json ? undefined : askerOn(stdin, stderr),
    note: (text) => void stderr.write(`${text}\n`),
    progress: (label, inWords) => startProgress(stderr, label, inWords),
  })
  if (outcome) tell(outcome, json)
}

const say = (text: string) => void stdout.write(text)

async function versionLine(): Promise<string> {
  const [{ readVersion }, { join }] = await Promise.all([import('../developer/index.ts'), import('node:path')])
  return `${(await readVersion(join(import.meta.dirname, '..', '..'))).version}\n`
}

function tell({ text, value, ok = true }: Outcome, json: boolean): void {
  say(`${json ? JSON.stringify({ success: ok, ...value }) : text}\n`)
  if (!ok) process.exitCode = 1
}

function complain(error: unknown, words: readonly string[]): void {
  const sentence = sentenceFor(error)
  if (words.includes('--json')) say(`${JSON.stringify({ success: false, message: sentence ?? 'This is a bug.' })}\n`)
  const told = sentence ?? `This is a bug. ${(error as Error).stack}`
  stderr.write(`${styleText('red', 'menagerie:', { stream: stderr })} ${told}\n`)
  if (error instanceof UsageError) stderr.write('Try --help.\n')
  process.exitCode = 1
}

// Whoever reads the output may have seen enough: `menagerie content list | head -3`.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

const words = process.argv.slice(2)
await run(words).catch((error) => complain(error, words))
