// Arguments and texts that the commands of releases share.
import type { RampOptions } from '../features/releases/index.ts'
import type { ArgumentSpec, CommandInput, OptionSpecs } from './command.ts'

export const settings = ['CONTENT_DIR', 'DATA_DIR'] as const

export const application = {
  name: 'application',
  help: 'Application that the release belongs to.',
  choices: ['launcher', 'reshade', 'fpsUnlocker'],
} as const satisfies ArgumentSpec

export const publishedVersion = {
  name: 'version',
  help: 'A published version. "release list" shows them.',
  completes: 'releases',
} as const satisfies ArgumentSpec

export const newVersion = {
  name: 'version',
  help: 'A version: one to four numbers, optionally with a suffix, such as 8.7.3.1 or 2.1.0-beta.1.',
} as const satisfies ArgumentSpec

export const stateColours = {
  public: 'green',
  'rolling out': 'cyan',
  paused: 'yellow',
  scheduled: 'yellow',
  withdrawn: 'red',
} as const

const everyOption = { value: 'interval', help: 'Time between two steps of the ramp, from 1m to 30d. Default: 24h.' }
const maxFailuresOption = {
  value: 'percent',
  help: 'Pauses the ramp when you report a larger share of failed installations with "release report-failures". Default: never.',
}
export const rampOptions = { every: everyOption, 'max-failures': maxFailuresOption } as const satisfies OptionSpecs

/** Reads the steps, such as 10,50,100, and the options of a ramp. */
export function parseRamp(steps: string, options: CommandInput<[], typeof rampOptions>['options']): RampOptions {
  const { every = '24h', 'max-failures': maxFailures } = options
  const toNumber = (text: string) => (/^\d{1,3}(\.\d+)?$/.test(text.trim()) ? Number(text) : Number.NaN)
  return {
    steps: steps.split(',').map(toNumber),
    every,
    ...(maxFailures !== undefined && { maxFailures: toNumber(maxFailures) }),
  }
}
