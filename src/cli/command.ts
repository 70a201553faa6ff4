// Commands are data. The help, shell completion and docs/commands.md are built from their definitions.
import type { Config, Environment, SettingName } from '../config/config.ts'
import type { Settings } from './load-settings.ts'
import type { OperatorService } from './local-service.ts'
import type { Ask, Progress } from './terminal.ts'
import type { Format } from './text.ts'

type PathSource = 'files' | 'folders'
/** Names from the content or the store. */
export type NameSource = 'kinds' | 'releases' | 'resources' | 'news' | 'clients' | 'tokens' | 'bans'

export interface ArgumentSpec {
  readonly name: string
  readonly help: string
  readonly choices?: readonly string[]
  /** What a shell offers for an argument without fixed choices. */
  readonly completes?: PathSource | NameSource
  readonly optional?: true
  /** Takes all remaining arguments. Only the last argument may set it. */
  readonly many?: true
}

export interface OptionSpec {
  readonly help: string
  readonly choices?: readonly string[] | undefined
  readonly completes?: PathSource | undefined
  readonly short?: string
  /** Placeholder of the value in the help: `--rollout <percent>`. Without it the option is a switch. */
  readonly value?: string
  readonly multiple?: true
}

type Text<Spec> = Spec extends { choices: readonly (infer Choice)[] } ? Choice : string
type ArgumentValue<Spec> = Spec extends { many: true }
  ? readonly Text<Spec>[]
  : Spec extends { optional: true }
    ? Text<Spec> | undefined
    : Text<Spec>
type OptionValue<Spec> = Spec extends { value: string }
  ? Spec extends { multiple: true }
    ? readonly Text<Spec>[]
    : Text<Spec> | undefined
  : boolean

type ArgumentSpecs = readonly ArgumentSpec[]
export type OptionSpecs = Readonly<Record<string, OptionSpec>>

export const commonOptions = {
  help: { short: 'h', help: 'Shows this help.' },
  json: { help: 'Prints one JSON object.' },
  'no-color': { help: 'Prints no colours, also on a terminal.' },
  server: { value: 'URL', help: 'Acts on the service at this URL. "local" is the one on this machine.' },
} as const satisfies OptionSpecs

export interface CommandInput<Args extends ArgumentSpecs = ArgumentSpecs, Options extends OptionSpecs = OptionSpecs> {
  readonly config: Config
  readonly settings: Settings
  readonly environment: Environment
  /** On this machine, or remote with --server or after `login`. */
  readonly service: OperatorService
  readonly args: { readonly [Spec in Args[number] as Spec['name']]: ArgumentValue<Spec> }
  readonly options: { readonly [Name in keyof Options]: OptionValue<Options[Name]> }
  /** True with --json: a program reads standard output, so only the result may be written there. */
  readonly json: boolean
  /** Tables, fields and times for the result. */
  readonly format: Format
  /** Prints a line to standard error while the command runs. */
  note(text: string): void
  /** Undefined with --json, or without a terminal. */
  readonly ask: Ask | undefined
  /** Asks without showing the answer, or reads standard input if that is not a terminal. */
  readSecret(question: string): Promise<string>
  progress(label: string, formatAmount?: (amount: number) => string): Progress
}

/** The result of a command: `text` for people, `value` for programs. */
export interface CommandResult {
  readonly text: string
  /** The fields of the JSON object that --json prints. */
  readonly value: object
  /** False sets the exit code to 1. */
  readonly ok?: boolean
}

export interface Command<Args extends ArgumentSpecs = ArgumentSpecs, Options extends OptionSpecs = OptionSpecs> {
  /** One or two words: `doctor`, `release publish`. */
  readonly name: string
  readonly summary: string
  readonly arguments?: Args
  readonly options?: Options
  /**
   * 'files': acts on the files of a service, and only on this machine. 'machine': has nothing to do with a remote service,
   * like `serve`. Default: acts on `service`, which may be remote.
   */
  readonly actsOn?: 'files' | 'machine'
  /** Example calls, without `menagerie`. */
  readonly examples?: readonly string[]
  /** Shown in help and completion. Default: all. [] means that no settings are loaded. */
  readonly settings?: readonly SettingName[]
  /** The command also runs with invalid settings, and reports them itself. */
  readonly acceptsInvalidSettings?: true
  /** Loads the services that it needs with `import()`, so that --help loads none. May print its output itself. */
  run(input: CommandInput<Args, Options>): Promise<CommandResult | undefined>
}

/** Infers the types of `args` and `options` in `run` from their declarations. */
export const defineCommand = <
  const Args extends ArgumentSpecs = [],
  const Options extends OptionSpecs = Record<never, never>,
>(
  command: Command<Args, Options>,
): Command => command as unknown as Command
