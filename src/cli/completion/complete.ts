// Computes what a shell offers at the cursor, from the command definitions and from names in the content and the store.
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Config, type SettingName, settings } from '../../config/config.ts'
import type { Store } from '../../platform/store/index.ts'
import type { Command, CompletionSource, OptionSpec, OptionSpecs } from '../command.ts'
import { flagName } from '../help.ts'
import { withReleases, withStore } from '../open-services.ts'
import { commonOptions } from '../parse.ts'
import { type Candidate, formatCandidates, shells } from './shells.ts'

/** The hidden command that the completion scripts call. */
export const COMPLETE = '__complete'

/** The lines for a completion script: one per candidate, or `:files` or `:folders` for paths. */
export async function complete(
  commands: readonly Command[],
  words: readonly string[],
  config: Config,
): Promise<string> {
  const [name = '', ...rest] = words
  const shell = Object.entries(shells).find(([shell]) => shell === name)?.[1]
  if (!shell) return ''
  const typed = shell.joinWords(rest)
  const candidates = await findCandidates(commands, typed, (source, args) => readNames(source, config, args))
  return typeof candidates === 'string' ? `:${candidates}\n` : formatCandidates(shell, candidates, typed.at(-1) ?? '')
}

/** The shell itself lists paths. */
export type Candidates = readonly Candidate[] | 'files' | 'folders'

type NameSource = Exclude<CompletionSource, 'files' | 'folders'>
/** `args` are the arguments before the cursor. */
export type ReadNames = (source: NameSource, args: readonly string[]) => Promise<readonly Candidate[]>

/** The last word is the one being typed. It may be empty. */
export async function findCandidates(
  commands: readonly Command[],
  words: readonly string[],
  readNames: ReadNames,
): Promise<Candidates> {
  const [before, typed] = [words.slice(0, -1), words.at(-1) ?? '']
  const command = commands.find(({ name }) => name.split(' ').every((word, index) => word === before[index]))
  const candidates = command
    ? await completeCommand(command, before.slice(command.name.split(' ').length), typed, readNames)
    : completeName(commands, before)
  return typeof candidates === 'string' ? candidates : candidates.filter(({ value }) => value.startsWith(typed))
}

function completeName(commands: readonly Command[], before: readonly string[]): readonly Candidate[] {
  const candidates = new Map<string, string>()
  for (const { name, summary } of commands) {
    const words = name.split(' ')
    if (!before.every((word, index) => word === words[index])) continue
    const word = words[before.length] ?? ''
    candidates.set(word, candidates.has(word) ? `Several commands: menagerie ${word}` : summary)
  }
  if (before.length === 0) candidates.set('--help', 'Lists the commands.').set('--version', 'Prints the version.')
  return [...candidates].map(([value, help]) => ({ value, help }))
}

async function completeCommand(
  command: Command,
  words: readonly string[],
  typed: string,
  readNames: ReadNames,
): Promise<Candidates> {
  const specs = listOptions(command)
  const { pending, used, positionals } = scanWords(specs, words)
  if (pending) return completeValue(pending, positionals, readNames)
  const [, name, equals] = /^--([^=]+)(=)/.exec(typed) ?? []
  if (equals && name) {
    const values = await completeValue(specs[name] ?? {}, positionals, readNames)
    return typeof values === 'string'
      ? values
      : values.map(({ value, help }) => ({ value: `--${name}=${value}`, help }))
  }
  const args = command.arguments ?? []
  const argument = args[positionals.length] ?? (args.at(-1)?.many ? args.at(-1) : undefined)
  if (argument && !typed.startsWith('-')) return completeValue(argument, positionals, readNames)
  return Object.entries(specs)
    .filter(([name, { multiple }]) => multiple || !used.has(name))
    .map(([name, { help }]) => ({ value: `--${name}`, help }))
}

/** The command's own options first, then those of all commands and its settings. */
function listOptions({ options = {}, settings: names = Object.keys(settings) as SettingName[] }: Command): OptionSpecs {
  const settingOptions = Object.fromEntries(names.map((name) => [flagName(name), settingOption(name)]))
  return { ...options, ...commonOptions, ...settingOptions }
}

function settingOption(name: SettingName): OptionSpec {
  const { help, choices }: { help: string; choices?: readonly string[] } = settings[name]
  return {
    ...{ value: 'value', help },
    ...(choices && { choices }),
    ...(name.endsWith('_DIR') && { completes: 'folders' }),
  }
}

/** `pending` is an option whose value comes next. */
function scanWords(specs: OptionSpecs, words: readonly string[]) {
  const used = new Set<string>()
  const positionals: string[] = []
  let pending: OptionSpec | undefined
  for (const word of words) {
    if (pending) {
      pending = undefined
    } else if (word.startsWith('-')) {
      const [, name = '', equals] = /^--?([^=]+)(=)?/.exec(word) ?? []
      const [fullName, spec] = Object.entries(specs).find(([long, { short }]) => long === name || short === name) ?? []
      if (fullName) used.add(fullName)
      if (spec?.value && !equals) pending = spec
    } else {
      positionals.push(word)
    }
  }
  return { pending, used, positionals }
}

async function completeValue(
  { choices, completes }: { readonly choices?: readonly string[]; readonly completes?: CompletionSource },
  positionals: readonly string[],
  readNames: ReadNames,
): Promise<Candidates> {
  if (choices) return choices.filter((value) => !positionals.includes(value)).map((value) => ({ value, help: '' }))
  if (completes === 'files' || completes === 'folders') return completes
  return completes ? readNames(completes, positionals) : []
}

type NameReader = (config: Config, args: readonly string[]) => Promise<readonly Candidate[]>

const fromStore =
  (list: (store: Store) => Promise<Candidate[]>): NameReader =>
  async (config) => {
    const { sqliteFile } = await import('../../platform/store/index.ts')
    const file = sqliteFile(config.STORE_URL, config.DATA_DIR)
    // Opening the store would create the file, and pressing Tab must not.
    return file !== undefined && !existsSync(file) ? [] : withStore(config, list)
  }

const nameReaders: Record<NameSource, NameReader> = {
  async kinds({ CONTENT_DIR }) {
    const { artistKinds } = await import('../../features/content/index.ts')
    const entries = await readdir(join(CONTENT_DIR, 'animals'), { withFileTypes: true }).catch(() => [])
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
    return [...new Set([...artistKinds, ...folders])].map((value) => ({ value, help: '' }))
  },
  releases: (config, [wanted]) =>
    withReleases(config, async ({ listReleases }, dir) =>
      (await listReleases(dir))
        .filter(({ application }) => application === wanted)
        .map(({ version, state }) => ({ value: version, help: state })),
    ),
  news: (config) =>
    withReleases(config, async ({ listNews }, dir) =>
      (await listNews(dir)).news.map(({ id, title }) => ({ value: id, help: title })),
    ),
  clients: fromStore(async ({ clients }) =>
    (await clients.list()).map(({ id, name, state }) => ({ value: id, help: `${name}, ${state}` })),
  ),
  tokens: fromStore(async ({ tokens }) => (await tokens.list()).map(({ id, label }) => ({ value: id, help: label }))),
  bans: fromStore(async ({ bans }) =>
    (await bans.list()).map(({ address, reason }) => ({ value: address, help: reason })),
  ),
}

/** An error message would end up in the middle of the typed line, so unreadable sources offer nothing. */
const readNames = (source: NameSource, config: Config, args: readonly string[]) =>
  nameReaders[source](config, args).catch(() => [])
