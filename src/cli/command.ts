import type { Config, SettingName } from '../config/config.ts'
import type { Ask } from './ask.ts'
import type { Progress } from './progress.ts'
import type { Settings } from './settings.ts'

/** What a shell offers for a word that no list of choices tells: paths, or what the content and the store hold. */
export type Completes = 'files' | 'folders' | 'kinds' | 'releases' | 'news' | 'clients' | 'tokens' | 'bans'

export interface ArgumentSpec {
  readonly name: string
  readonly help: string
  readonly choices?: readonly string[]
  readonly optional?: true
  readonly completes?: Completes
  /** Takes all that are left; only the last one can. */
  readonly many?: true
}

export interface OptionSpec {
  readonly type: 'string' | 'boolean'
  readonly short?: string
  readonly help: string
  /** What stands for the value in the help: `--rollout <percent>`. */
  readonly value?: string
  readonly choices?: readonly string[]
  readonly completes?: Completes
  /** May be given several times. */
  readonly multiple?: true
}

type Text<Spec> = Spec extends { choices: readonly (infer Choice)[] } ? Choice : string
type ArgumentValue<Spec> = Spec extends { many: true }
  ? readonly Text<Spec>[]
  : Spec extends { optional: true }
    ? Text<Spec> | undefined
    : Text<Spec>
type OptionValue<Spec> = Spec extends { type: 'boolean' }
  ? boolean
  : Spec extends { multiple: true }
    ? readonly Text<Spec>[]
    : Text<Spec> | undefined

export type ArgumentSpecs = readonly ArgumentSpec[]
export type OptionSpecs = Readonly<Record<string, OptionSpec>>

/** What was typed, as the command declared it, and the ways to say something while it runs. */
export interface CommandInput<Args extends ArgumentSpecs = ArgumentSpecs, Options extends OptionSpecs = OptionSpecs> {
  readonly config: Config
  /** Where the settings come from and what is wrong with them; nothing, unless the command judges them itself. */
  readonly settings: Settings
  readonly args: { readonly [Spec in Args[number] as Spec['name']]: ArgumentValue<Spec> }
  readonly options: { readonly [Name in keyof Options]: OptionValue<Options[Name]> }
  /** A program reads standard output: nothing but the outcome may go there. */
  readonly json: boolean
  /** Says something to the person meanwhile. */
  note(text: string): void
  /** Undefined where no person can answer. */
  readonly ask: Ask | undefined
  /** `inWords` tells an amount to people. */
  progress(label: string, inWords?: (amount: number) => string): Progress
}

/** What a command found or did: for people, and for programs with --json. */
export interface CommandResult {
  readonly text: string
  /** The fields of one JSON object. */
  readonly value: object
  /** False where what it found is bad news: the exit code is then 1. */
  readonly ok?: boolean
}

/** A command is data: the help, the completion and docs/commands.md are made from the list of them. */
export interface Command<Args extends ArgumentSpecs = ArgumentSpecs, Options extends OptionSpecs = OptionSpecs> {
  /** One word, or two: `release publish`. */
  readonly name: string
  readonly summary: string
  readonly arguments?: Args
  readonly options?: Options
  /** What follows `menagerie ` in a call that shows its use. */
  readonly examples?: readonly string[]
  /** The settings that matter to it; all where nothing is said. */
  readonly settings?: readonly SettingName[]
  /** It is run with wrong settings, too, and tells of them. */
  readonly acceptsInvalidSettings?: true
  /** Undefined where it has said all there is to say while it ran. It loads the services it needs: the help needs none. */
  run(input: CommandInput<Args, Options>): Promise<CommandResult | undefined>
}

/** Lets `run` know the arguments and options by their declaration. */
export const defineCommand = <
  const Args extends ArgumentSpecs = [],
  const Options extends OptionSpecs = Record<never, never>,
>(
  command: Command<Args, Options>,
): Command => command as unknown as Command

/** Why a command did nothing, as a sentence for the person who typed it. */
export class CommandError extends Error {}

/** A mistake in the words themselves: the help of the command says what would be right. */
export class UsageError extends CommandError {}
