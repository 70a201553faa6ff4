import type { Config } from '../config.ts'

export interface OptionSpec {
  readonly type: 'string' | 'boolean'
  readonly short?: string
  readonly help: string
  /** What stands for the value in the help: `--rollout <percent>`. */
  readonly value?: string
}

export interface Input {
  readonly config: Config
  readonly args: readonly string[]
  readonly options: Readonly<Record<string, string | boolean | undefined>>
}

/** What a command found or did: for people, and for programs with --json. */
export interface Outcome {
  readonly text: string
  readonly value: unknown
}

/** A command is data: the help, the completion and docs/commands.md are made from the list of them. */
export interface Command {
  /** One word, or two: `release publish`. */
  readonly name: string
  readonly summary: string
  /** The arguments, as the help shows them. */
  readonly usage?: string
  readonly options?: Readonly<Record<string, OptionSpec>>
  /** Undefined where it has said all there is to say while it ran. */
  readonly run: (input: Input) => Promise<Outcome | undefined>
}

/** A mistake of the person who typed; the message says what would be right. */
export class UsageError extends Error {}
