// What may stand where the cursor is: read from the definitions of the commands, and asked of what is held.
import { type SettingName, settings } from '../../config/config.ts'
import type { Command, Completes, OptionSpec, OptionSpecs } from '../command.ts'
import { flagOf } from '../help.ts'
import { commonOptions } from '../parse.ts'

export interface Candidate {
  readonly value: string
  readonly help: string
}

/** Paths are the shell's to list. */
export type Offer = readonly Candidate[] | 'files' | 'folders'

export type HeldThing = Exclude<Completes, 'files' | 'folders'>
/** What the content or the store holds; `given` are the arguments before. */
export type Held = (thing: HeldThing, given: readonly string[]) => Promise<readonly Candidate[]>

/** The last of the words is the one that is being typed; it may be empty. */
export async function offerFor(commands: readonly Command[], words: readonly string[], held: Held): Promise<Offer> {
  const [before, typed] = [words.slice(0, -1), words.at(-1) ?? '']
  const command = commands.find(({ name }) => name.split(' ').every((word, index) => word === before[index]))
  const offer = command
    ? await inCommand(command, before.slice(command.name.split(' ').length), typed, held)
    : nextWords(commands, before)
  return typeof offer === 'string' ? offer : offer.filter(({ value }) => value.startsWith(typed))
}

function nextWords(commands: readonly Command[], before: readonly string[]): readonly Candidate[] {
  const offered = new Map<string, string>()
  for (const { name, summary } of commands) {
    const words = name.split(' ')
    if (!before.every((word, index) => word === words[index])) continue
    const word = words[before.length] ?? ''
    offered.set(word, offered.has(word) ? `Several commands: menagerie ${word}` : summary)
  }
  if (before.length === 0) offered.set('--help', 'Lists the commands.').set('--version', 'Tells the version.')
  return [...offered].map(([value, help]) => ({ value, help }))
}

async function inCommand(command: Command, words: readonly string[], typed: string, held: Held): Promise<Offer> {
  const specs = optionsOf(command)
  const { pending, given, positionals } = readSoFar(specs, words)
  if (pending) return valuesOf(pending, positionals, held)
  const [, name, equals] = /^--([^=]+)(=)/.exec(typed) ?? []
  if (equals && name) {
    const values = await valuesOf(specs[name] ?? {}, positionals, held)
    return typeof values === 'string'
      ? values
      : values.map(({ value, help }) => ({ value: `--${name}=${value}`, help }))
  }
  const args = command.arguments ?? []
  const argument = args[positionals.length] ?? (args.at(-1)?.many ? args.at(-1) : undefined)
  if (argument && !typed.startsWith('-')) return valuesOf(argument, positionals, held)
  return Object.entries(specs)
    .filter(([name, { multiple }]) => multiple || !given.has(name))
    .map(([name, { help }]) => ({ value: `--${name}`, help }))
}

/** Its own options first, then those of all commands and the settings that matter to it. */
function optionsOf({ options = {}, settings: names = Object.keys(settings) as SettingName[] }: Command): OptionSpecs {
  return { ...options, ...commonOptions, ...Object.fromEntries(names.map((name) => [flagOf(name), settingSpec(name)])) }
}

function settingSpec(name: SettingName): OptionSpec {
  const { help, choices }: { help: string; choices?: readonly string[] } = settings[name]
  return {
    ...{ type: 'string', help },
    ...(choices && { choices }),
    ...(name.endsWith('_DIR') && { completes: 'folders' }),
  }
}

/** Which option still wants its value, and what was said before. */
function readSoFar(specs: OptionSpecs, words: readonly string[]) {
  const given = new Set<string>()
  const positionals: string[] = []
  let pending: OptionSpec | undefined
  for (const word of words) {
    if (pending) {
      pending = undefined
    } else if (word.startsWith('-')) {
      const [, name = '', equals] = /^--?([^=]+)(=)?/.exec(word) ?? []
      const [full, spec] = Object.entries(specs).find(([long, { short }]) => long === name || short === name) ?? []
      if (full) given.add(full)
      if (spec?.type === 'string' && !equals) pending = spec
    } else {
      positionals.push(word)
    }
  }
  return { pending, given, positionals }
}

interface Wanted {
  readonly choices?: readonly string[]
  readonly completes?: Completes
}

async function valuesOf({ choices, completes }: Wanted, given: readonly string[], held: Held): Promise<Offer> {
  if (choices) return choices.filter((value) => !given.includes(value)).map((value) => ({ value, help: '' }))
  if (completes === 'files' || completes === 'folders') return completes
  return completes ? held(completes, given) : []
}
