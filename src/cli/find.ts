import { type Command, UsageError } from './command.ts'
import { nearest } from './nearest.ts'

export type Found =
  | { readonly command: Command; readonly rest: readonly string[] }
  /** The first word of several commands, and nothing after it that would choose one. */
  | { readonly family: string; readonly commands: readonly Command[] }
  | 'help'
  | 'version'

/** What the words begin with; whatever is no command is answered with the nearest one. */
export function findCommand(commands: readonly Command[], words: readonly string[]): Found {
  const [first = 'help', second = '--help'] = words
  if (['help', '--help', '-h'].includes(first)) return 'help'
  if (first === '--version') return 'version'
  if (first.startsWith('-')) throw new UsageError(`The command comes first, then its options such as ${first}.`)

  for (const command of commands) {
    const name = command.name.split(' ')
    if (name.every((word, index) => word === words[index])) return { command, rest: words.slice(name.length) }
  }
  const family = commands.filter(({ name }) => name.startsWith(`${first} `))
  if (family.length > 0 && ['help', '--help', '-h'].includes(second)) return { family: first, commands: family }
  const needsMore = family.length > 0 && (second === '' || second.startsWith('-'))
  throw new UsageError(needsMore ? `"${first}" needs another word: ${lastWords(family)}.` : unknown(commands, words))
}

const lastWords = (family: readonly Command[]) => family.map(({ name }) => name.split(' ')[1]).join(', ')

function unknown(commands: readonly Command[], words: readonly string[]): string {
  const typed = words.slice(0, 2).filter((word) => !word.startsWith('-'))
  const names = commands.map(({ name }) => name)
  const families = [...new Set(names.flatMap((name) => name.split(' ').slice(0, 1)))]
  const both = typed.join(' ')
  const meant = nearest(both, names) ?? nearest(typed[0] ?? '', families)
  const known = families.includes(typed[0] ?? '') ? both : (typed[0] ?? '')
  return `There is no command "${meant?.includes(' ') ? both : known}"${meant ? `; did you mean "menagerie ${meant}"?` : '.'}`
}
