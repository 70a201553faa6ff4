// Runs one command line, from its words to the exit code.
import { styleText } from 'node:util'
import { assertNoProblems, type Environment } from '../config/config.ts'
import { ROOT } from '../config/root.ts'
import { OperatorError, UsageError } from '../errors/index.ts'
import type { Command, CommandInput, CommandResult } from './command.ts'
import { commands } from './commands/index.ts'
import { COMPLETE, complete } from './completion.ts'
import { describeError } from './describe-error.ts'
import { commandHelp, formatCommand, generalHelp, groupHelp } from './help.ts'
import { loadSettings } from './load-settings.ts'
import { createLocalService } from './local-service.ts'
import { findCommand, parseCommand } from './parse.ts'
import { chooseServer, LOCAL } from './remote/choose-server.ts'
import { createAsk, type OutputStream, readSecret, startProgress } from './terminal.ts'
import { printableJson, printableLines, printableStyled } from './text.ts'

interface Terminal {
  readonly stdin: NodeJS.ReadableStream & { isTTY?: boolean }
  /** Gets only the result. */
  readonly stdout: OutputStream
  /** Gets progress, notes and errors. */
  readonly stderr: NodeJS.WritableStream & OutputStream
  readonly environment: Environment
}

const FAILURE = 1
const USAGE_ERROR = 2

/** Returns the exit code: 0 on success, 1 on failure, 2 on a usage error. */
export async function run(words: readonly string[], terminal: Terminal): Promise<number> {
  const { stdout, stderr } = terminal
  try {
    const { ok = true, text } = await execute(words, terminal)
    if (text !== '') stdout.write(text)
    return ok ? 0 : FAILURE
  } catch (error) {
    const description = describeError(error)
    const message = description ?? 'This is a bug.'
    if (words.includes('--json')) stdout.write(`${printableJson({ success: false, message })}\n`)
    const details = printableLines(description ?? `${message} ${(error as Error).stack}`)
    const isUsageError = error instanceof UsageError
    const hint = isUsageError ? `Try: ${formatCommand('--help')}\n` : ''
    stderr.write(`${styleText('red', 'menagerie:', { stream: stderr })} ${details}\n${hint}`)
    return isUsageError ? USAGE_ERROR : FAILURE
  }
}

type Output = Omit<CommandResult, 'value'>

async function execute(words: readonly string[], { stdin, stderr, environment }: Terminal): Promise<Output> {
  if (words[0] === COMPLETE) {
    const { config } = loadSettings(environment, {})
    return { text: await complete(commands, words.slice(1), config) }
  }
  const found = findCommand(commands, words)
  if (found === 'help') return { text: generalHelp(commands) }
  if (found === 'version') return { text: await readVersionLine() }
  if ('group' in found) return { text: groupHelp(found.group, found.commands) }

  const { command, rest } = found
  const parsed = parseCommand(command, rest)
  if (parsed.help) return { text: commandHelp(command) }
  const { json, options } = parsed
  const args = parsed.readArguments()
  // A command that uses no settings also runs beside an invalid .env file.
  const settings =
    command.settings?.length === 0 ? loadSettings({}, {}, '') : loadSettings(environment, parsed.settings)
  if (!command.acceptsInvalidSettings) assertNoProblems(settings.problems)
  const note: CommandInput['note'] = (text) => void stderr.write(`${printableLines(text)}\n`)
  const progress: CommandInput['progress'] = (label, formatAmount) => startProgress(stderr, label, formatAmount)
  const server = await findServer(command, environment, parsed.server)
  if (server) note(`Service: ${server.url}`)
  const input: CommandInput = {
    config: settings.config,
    settings,
    environment,
    service: server ? await openRemote(server, progress) : createLocalService(settings.config),
    args,
    options,
    json,
    ask: json ? undefined : createAsk(stdin, stderr),
    readSecret: (question) => readSecret(stdin, stderr, question),
    note,
    progress,
  }
  const result = await Promise.try(() => command.run(input)).catch((error) => {
    throw server && describeError(error) === undefined ? describeReplyError(server.url, error) : error
  })
  if (!result) return { text: '' }
  const { text, value, ok = true } = result
  return { text: `${json ? printableJson({ success: ok, ...value }) : printableStyled(text)}\n`, ok }
}

/** Undefined: the command acts on this machine. */
async function findServer({ name, actsOn }: Command, environment: Environment, flag: string | undefined) {
  if (actsOn === 'machine' && flag === undefined) return undefined
  const server = await chooseServer(environment, flag)
  if (!server || actsOn === 'service') return server
  throw new OperatorError(
    `"${name}" cannot act on ${server.url}. Run it where the service runs, or act on this machine with --server ${LOCAL}.`,
  )
}

/** The fields of replies are not checked one by one: a service of the same version sends what the commands expect. */
const describeReplyError = (url: string, { message }: Error) =>
  new OperatorError(`${url} sent a reply that this program does not understand (${message}). Compare their versions.`)

/** Loaded only if it is used. */
async function openRemote(...options: Parameters<typeof import('./remote/remote-service.ts').createRemoteService>) {
  const { createRemoteService } = await import('./remote/remote-service.ts')
  return createRemoteService(...options)
}

async function readVersionLine(): Promise<string> {
  const { readVersion } = await import('../features/developer/index.ts')
  return `${(await readVersion(ROOT)).version}\n`
}
