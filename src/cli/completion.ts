// Computes what a shell offers at the cursor, from the command definitions and from names in the content and the store.
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { ArgumentSpec, Command, NameSource, OptionSpec, OptionSpecs } from './command.ts'
import { commonOptions } from './command.ts'
import type { OperatorService } from './local-service.ts'
import { createLocalService } from './local-service.ts'
import { settingOptions, tokenize } from './parse.ts'
import { printable } from './text.ts'

/** The hidden command that the completion scripts call. */
export const COMPLETE = '__complete'

/** The lines for a completion script: one per candidate, or `:files` or `:folders` for paths. */
export async function complete(
  commands: readonly Command[],
  [shellName = '', ...shellWords]: readonly string[],
  config: Config,
): Promise<string> {
  const shell = Object.entries(shells).find(([name]) => name === shellName)?.[1]
  if (!shell) return ''
  const words = shell.joinWords?.(shellWords) ?? shellWords
  const typed = words.at(-1) ?? ''
  const { candidates: found, args } = findCandidates(commands, words)
  // The shell itself lists paths.
  if (found === 'files' || found === 'folders') return `:${found}\n`
  const candidates = typeof found === 'string' ? await readNames(found, config, args) : found
  return candidates
    .filter(({ value }) => value.startsWith(typed))
    .map(({ value, help }) => `${shell.formatLine({ value: printable(value), help: printable(help) }, typed)}\n`)
    .join('')
}

interface Completion {
  /** The candidates, or where to find them. */
  readonly candidates: readonly Candidate[] | NonNullable<ArgumentSpec['completes']>
  /** The arguments before the cursor. */
  readonly args: readonly string[]
}

/** The last word is the one being typed. It may be empty. */
export function findCandidates(commands: readonly Command[], words: readonly string[]): Completion {
  const [before, typed] = [words.slice(0, -1), words.at(-1) ?? '']
  const command = commands.find(({ name }) => name.split(' ').every((word, index) => word === before[index]))
  return command
    ? completeCommand(command, before.slice(command.name.split(' ').length), typed)
    : { candidates: listNextWords(commands, before), args: [] }
}

function listNextWords(commands: readonly Command[], before: readonly string[]): readonly Candidate[] {
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

function completeCommand(command: Command, before: readonly string[], typed: string): Completion {
  const specs: OptionSpecs = { ...command.options, ...commonOptions, ...settingOptions(command.settings) }
  const tokens = tokenize(specs, before)
  const args = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []))
  const used = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []))

  const last = tokens.at(-1)
  const lastSpec = last?.kind === 'option' && last.value === undefined ? specs[last.name] : undefined
  // An option whose value is missing.
  if (lastSpec?.value) return { candidates: listValues(lastSpec, args), args }

  const [prefix, name = ''] = /^--([^=]+)=/.exec(typed) ?? []
  if (prefix) return { candidates: listValues(specs[name], args, prefix), args }

  const argument = command.arguments?.[args.length] ?? command.arguments?.findLast(({ many }) => many)
  if (argument && !typed.startsWith('-')) return { candidates: listValues(argument, args), args }
  const unused = Object.entries(specs).filter(([name, { multiple }]) => multiple || !used.includes(name))
  return { candidates: unused.map(([name, { help }]) => ({ value: `--${name}`, help })), args }
}

const listValues = (spec: ArgumentSpec | OptionSpec | undefined, args: readonly string[], prefix = '') =>
  spec?.completes ??
  (spec?.choices ?? [])
    .filter((value) => !args.includes(value))
    .map((value) => ({ value: `${prefix}${value}`, help: '' }))

type NameReader = (service: OperatorService, args: readonly string[], config: Config) => Promise<readonly Candidate[]>

const nameReaders: Record<NameSource, NameReader> = {
  async kinds(_service, _args, { CONTENT_DIR }) {
    const { artistKinds } = await import('../features/content/index.ts')
    const entries = await readdir(join(CONTENT_DIR, 'animals'), { withFileTypes: true }).catch(() => [])
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
    return [...new Set([...artistKinds, ...folders])].map((value) => ({ value, help: '' }))
  },
  releases: async (service, [requestedApplication]) =>
    (await service.listReleases())
      .filter(({ application }) => application === requestedApplication)
      .map(({ version, state }) => ({ value: version, help: state })),
  resources: async (service) =>
    (await service.listResources()).map(({ version, state }) => ({ value: version, help: state })),
  news: async (service) => (await service.listNews()).news.map(({ id, title }) => ({ value: id, help: title })),
  clients: async (service) =>
    (await service.listClients()).map(({ id, name, state }) => ({ value: id, help: `${name}, ${state}` })),
  tokens: async (service) => (await service.listTokens()).map(({ id, label }) => ({ value: id, help: label })),
  bans: async (service) => (await service.listBans()).map(({ address, reason }) => ({ value: address, help: reason })),
}

async function readNames(source: NameSource, config: Config, args: readonly string[]): Promise<readonly Candidate[]> {
  const { sqliteFile } = await import('../platform/store/index.ts')
  const file = sqliteFile(config.STORE_URL, config.DATA_DIR)
  const isStored = ['clients', 'tokens', 'bans'].includes(source)
  // Opening the store would create the file, and pressing Tab must not.
  if (isStored && file !== undefined && !existsSync(file)) return []
  // An error message would end up in the middle of the typed line, so unreadable sources offer nothing.
  return nameReaders[source](createLocalService(config), args, config).catch(() => [])
}

// The completion scripts of the shells, and how each shell expects the candidates.

type Candidate = { readonly value: string; readonly help: string }

interface Shell {
  /** Calls `menagerie __complete <shell> <words…>`, which prints one line per candidate. */
  readonly script: string
  /** Joins words that the shell splits. */
  joinWords?(words: readonly string[]): readonly string[]
  formatLine(candidate: Candidate, typed: string): string
}

/** Bash splits words at = and : */
function joinBashWords(parts: readonly string[]): readonly string[] {
  const words: string[] = []
  let isAfterBreak = false
  for (const word of parts) {
    const isBreak = /^[=:]+$/.test(word)
    if ((isBreak || isAfterBreak) && words.length > 0) words.push(`${words.pop()}${word}`)
    else words.push(word)
    isAfterBreak = isBreak
  }
  return words
}

/** Bash completes only the part after the last = or : */
const lengthToLastBreak = (typed: string) => /^.*[=:]/.exec(typed)?.[0].length ?? 0

export const shells: Record<'bash' | 'zsh' | 'fish', Shell> = {
  bash: {
    script: `# Completion of menagerie for bash. In ~/.bashrc: source <(menagerie completion bash)
_menagerie() {
  local line cur="\${COMP_WORDS[COMP_CWORD]}" words
  words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  # Bash splits words at these characters and completes the part after them.
  case "$cur" in '=' | ':' | '::') cur='' ;; esac
  COMPREPLY=()
  # eval, so that aliases work.
  while IFS= read -r line; do
    case "$line" in
      :files | :folders)
        compopt -o filenames 2>/dev/null
        [ "$line" = :files ] && line=-f || line=-d
        while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$line" -- "$cur")
        return
        ;;
      *) COMPREPLY+=("$line") ;;
    esac
  done < <(eval 'menagerie __complete bash "\${words[@]}"' 2>/dev/null)
}
complete -F _menagerie menagerie`,
    joinWords: joinBashWords,
    formatLine: ({ value }, typed) => value.slice(lengthToLastBreak(typed)),
  },
  zsh: {
    script: `#compdef menagerie
# Completion of menagerie for zsh. In ~/.zshrc, after compinit: source <(menagerie completion zsh)
_menagerie() {
  local -a candidates
  local line
  # eval, so that aliases work.
  for line in "\${(@f)$(eval 'menagerie __complete zsh "\${(@)words[2,CURRENT]}"' 2>/dev/null)}"; do
    case "$line" in
      '') ;;
      :files) compset -P '*='; _files; return ;;
      :folders) compset -P '*='; _files -/; return ;;
      *) candidates+=("$line") ;;
    esac
  done
  _describe menagerie candidates
}
if [ "$funcstack[1]" = _menagerie ]; then _menagerie "$@"; else compdef _menagerie menagerie; fi`,
    // _describe splits value and description at the first colon.
    formatLine: ({ value, help }) => `${value.replace(/[\\:]/g, '\\$&')}${help && `:${help}`}`,
  },
  fish: {
    script: `# Completion of menagerie for fish. In ~/.config/fish/config.fish: menagerie completion fish | source
function __menagerie_candidates
  set -l before (commandline -opc)
  set -l typed (commandline -ct)
  for line in (menagerie __complete fish $before[2..-1] "$typed" 2>/dev/null)
    switch $line
      case :files
        __fish_complete_path "$typed"
      case :folders
        __fish_complete_directories "$typed"
      case '*'
        echo $line
    end
  end
end
complete -c menagerie -f -a '(__menagerie_candidates)'`,
    formatLine: ({ value, help }) => (help ? `${value}\t${help}` : value),
  },
}
