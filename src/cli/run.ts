// Runs one command line, from its words to the exit code.
import { resolve } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { assertNoProblems, type Config, type Environment } from '../config/config.ts'
import { ROOT } from '../config/root.ts'
import { OperatorError, UsageError } from '../errors/index.ts'
import type { Command, CommandInput, CommandResult } from './command.ts'
import { commands, mostUsed, topics } from './commands/index.ts'
import { COMPLETE, complete } from './completion.ts'
import { commandHelp, formatCommand, generalHelp, groupHelp, startHelp } from './help.ts'
import { loadSettings } from './load-settings.ts'
import { createLocalService } from './local-service.ts'
import { findCommand, parseCommand } from './parse.ts'
import { chooseServer, LOCAL } from './remote/choose-server.ts'
import { createAsk, getWidth, type OutputStream, readSecret, showsColours, startProgress } from './terminal.ts'
import { createFormat, describeError, paint, printableJson, printableLines, printableStyled } from './text.ts'

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
export async function run(typed: readonly string[], { stdin, environment, ...streams }: Terminal): Promise<number> {
  // --no-color may come before the command.
  const words = typed[0] === COMPLETE ? typed : typed.filter((word) => word !== '--no-color')
  const isPlain = words.length < typed.length
  const [stdout, stderr] = [streams.stdout, streams.stderr].map((stream) => {
    const hasColours = !isPlain && showsColours(stream, environment)
    return (text: string) => void stream.write(hasColours ? text : stripVTControlCharacters(text))
  }) as [Write, Write]
  try {
    const { ok = true, text } = await execute(words, { ...streams, stdin, environment }, stderr)
    if (text !== '') stdout(text)
    return ok ? 0 : FAILURE
  } catch (error) {
    const description = describeError(error)
    const message = description ?? 'This is a bug.'
    if (words.includes('--json')) stdout(`${printableJson({ success: false, message })}\n`)
    const details = printableLines(description ?? `${message} ${(error as Error).stack}`)
    const isUsageError = error instanceof UsageError
    const hint = isUsageError ? `Try: ${formatCommand(`${findName(words)}--help`)}\n` : ''
    stderr(`${paint('red', 'menagerie:')} ${details}\n${hint}`)
    return isUsageError ? USAGE_ERROR : FAILURE
  }
}

type Write = (text: string) => void
type Output = Omit<CommandResult, 'value'>

/** The command that was meant, followed by a space, or nothing if there is none. */
const findName = (words: readonly string[]) => {
  const command = commands.find(({ name }) => `${words.join(' ')} `.startsWith(`${name} `))
  return command ? `${command.name} ` : ''
}

async function execute(words: readonly string[], terminal: Terminal, writeError: Write): Promise<Output> {
  const { stdin, stdout, stderr, environment } = terminal
  if (words[0] === COMPLETE) {
    const { config } = loadSettings(environment, {})
    return { text: await complete(commands, words.slice(1), config) }
  }
  const width = getWidth(stdout)
  const found = findCommand(commands, words)
  if (found === 'start') return { text: startHelp(mostUsed, width) }
  if (found === 'help') return { text: generalHelp(topics, width) }
  if (found === 'version') return { text: await readVersionLine() }
  if ('group' in found) return { text: groupHelp(found.group, found.commands, width) }

  const { command, rest } = found
  const parsed = parseCommand(command, rest)
  if (parsed.help) return { text: commandHelp(command, width) }
  const { json, options } = parsed
  const args = parsed.readArguments()
  // A command that uses no settings also runs beside an invalid .env file.
  const settings =
    command.settings?.length === 0 ? loadSettings({}, {}, '') : loadSettings(environment, parsed.settings)
  if (!command.acceptsInvalidSettings) assertNoProblems(settings.problems)
  const note: CommandInput['note'] = (text) => writeError(`${printableLines(text)}\n`)
  const progress: CommandInput['progress'] = (label, formatAmount) => startProgress(stderr, label, formatAmount)
  const server = await findServer(command, environment, parsed.server)
  const target = server ? `Service: ${server.url}` : stderr.isTTY && !json && describeFolders(command, settings.config)
  if (target) writeError(`${paint('dim', printableLines(target))}\n`)
  const input: CommandInput = {
    config: settings.config,
    settings,
    environment,
    service: server ? await openRemote(server, progress) : createLocalService(settings.config),
    args,
    options,
    json,
    format: createFormat({ width, note: json ? () => undefined : note }),
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
  if (json) return { text: `${printableJson({ success: ok, ...value })}\n`, ok }
  return { text: text && `${printableStyled(text)}\n`, ok }
}

/** The folders that a command uses depend on the current folder, which is easily the wrong one. */
function describeFolders({ actsOn, settings = ['CONTENT_DIR', 'DATA_DIR'] }: Command, config: Config): string {
  const names = (['CONTENT_DIR', 'DATA_DIR'] as const).filter((name) => settings.includes(name))
  return actsOn === 'machine' ? '' : names.map((name) => `${name}: ${resolve(config[name])}`).join('  ')
}

/** Undefined: the command acts on this machine. */
async function findServer({ name, actsOn }: Command, environment: Environment, flag: string | undefined) {
  if (actsOn === 'machine' && flag === undefined) return undefined
  const server = await chooseServer(environment, flag)
  if (!server || actsOn === undefined) return server
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
