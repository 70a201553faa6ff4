// From the words that were typed to the exit code.
import { styleText } from 'node:util'
import { assertNoProblems, type Environment } from '../config/config.ts'
import { ROOT } from '../config/root.ts'
import { askerOn } from './ask.ts'
import { type CommandResult, UsageError } from './command.ts'
import { commands } from './commands/index.ts'
import { COMPLETE, complete } from './complete/index.ts'
import { findCommand } from './find.ts'
import { commandHelp, familyHelp, generalHelp } from './help.ts'
import { parseCommand } from './parse.ts'
import { type Screen, startProgress } from './progress.ts'
import { sentenceFor } from './sentence.ts'
import { loadSettings } from './settings.ts'
import { visibleJson, visibleLines } from './text.ts'

export interface Terminal {
  readonly stdin: NodeJS.ReadableStream & { isTTY?: boolean }
  /** What was found or done, and nothing else. */
  readonly stdout: Screen
  /** Everything that is said meanwhile. */
  readonly stderr: NodeJS.WritableStream & Screen
  readonly environment: Environment
}

const FAILED = 1
const WRONG_USE = 2

/** The exit code: 0 on success, 1 where it failed, 2 where the words were wrong. */
export async function run(words: readonly string[], place: Terminal): Promise<number> {
  const { stdout, stderr } = place
  try {
    const { ok = true, text } = await answer(words, place)
    if (text !== '') stdout.write(text)
    return ok ? 0 : FAILED
  } catch (error) {
    const sentence = sentenceFor(error)
    const message = sentence ?? 'This is a bug.'
    if (words.includes('--json')) stdout.write(`${visibleJson({ success: false, message })}\n`)
    const told = visibleLines(sentence ?? `${message} ${(error as Error).stack}`)
    const isMisuse = error instanceof UsageError
    stderr.write(`${styleText('red', 'menagerie:', { stream: stderr })} ${told}\n${isMisuse ? 'Try --help.\n' : ''}`)
    return isMisuse ? WRONG_USE : FAILED
  }
}

async function answer(words: readonly string[], place: Terminal): Promise<{ text: string; ok?: boolean | undefined }> {
  if (words[0] === COMPLETE) {
    const { config } = loadSettings(place.environment, {})
    return { text: await complete(commands, words.slice(1), config) }
  }
  const found = findCommand(commands, words)
  if (found === 'help') return { text: generalHelp(commands) }
  if (found === 'version') return { text: await versionLine() }
  if ('family' in found) return { text: familyHelp(found.family, found.commands) }

  const { command, rest } = found
  const { help, json, settings: flags, options, args } = parseCommand(command, rest)
  if (help) return { text: commandHelp(command) }
  const named = args()
  const { stdin, stderr, environment } = place
  // A command that no setting matters to works beside any .env.
  const settings = command.settings?.length === 0 ? loadSettings({}, {}, '') : loadSettings(environment, flags)
  if (!command.acceptsInvalidSettings) assertNoProblems(settings.problems)
  const outcome = await command.run({
    config: settings.config,
    settings,
    args: named,
    options,
    json,
    ask: json ? undefined : askerOn(stdin, stderr),
    note: (text) => void stderr.write(`${visibleLines(text)}\n`),
    progress: (label, inWords) => startProgress(stderr, label, inWords),
  })
  return outcome ? shown(outcome, json) : { text: '' }
}

const shown = ({ text, value, ok = true }: CommandResult, json: boolean) => ({
  text: `${json ? visibleJson({ success: ok, ...value }) : text}\n`,
  ok,
})

async function versionLine(): Promise<string> {
  const { readVersion } = await import('../features/developer/index.ts')
  return `${(await readVersion(ROOT)).version}\n`
}
