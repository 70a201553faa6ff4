import type { ArgumentSpec } from '../../command.ts'

export const application = {
  name: 'application',
  help: 'The part of the application.',
  choices: ['launcher', 'reshade', 'fpsUnlocker'],
} as const satisfies ArgumentSpec

/** One that is there already. */
export const publishedVersion = {
  name: 'version',
  help: 'The version, as "release list" shows it.',
  completes: 'releases',
} as const satisfies ArgumentSpec

export const version = { name: 'version', help: 'A semantic version such as 2.1.0.' } as const satisfies ArgumentSpec
