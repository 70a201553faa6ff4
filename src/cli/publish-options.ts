// Settings, arguments, options and output that the publishing commands share.
import { readFile } from 'node:fs/promises'
import { OperatorError, UsageError } from '../errors/index.ts'
import type { Changed } from '../features/publishing/index.ts'
import type { RampOptions } from '../features/releases/index.ts'
import type { Change } from '../platform/files/index.ts'
import type { ArgumentSpec, Command, CommandInput, CommandResult, OptionSpecs } from './command.ts'
import { defineCommand } from './command.ts'
import { describeNetworkError, formatTime, paint } from './text.ts'

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

/** NaN, which every change refuses, if the text is no whole number. */
export const parseWhole = (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : Number.NaN)

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

export const dryRunOption = {
  'dry-run': { help: 'Shows the changes without making them.' },
} as const satisfies OptionSpecs

export const publishOptions = {
  at: { value: 'time', help: 'Publication time, such as 2026-12-01T10:00Z. Default: now.' },
  force: { help: 'Allows a version that is older than the newest one.' },
} as const satisfies OptionSpecs

export const fileOptions = {
  file: {
    value: 'path',
    help: 'File to publish. It is copied into CONTENT_DIR and served from there.',
    completes: 'files',
  },
  url: {
    value: 'URL',
    help: 'Download URL, instead of --file. The file is downloaded once to compute its size and SHA-256.',
  },
  bytes: {
    value: 'number',
    help: 'Size of the file at --url in bytes. Requires --sha256. The file is then not downloaded.',
  },
  sha256: { value: 'hex', help: 'Expected SHA-256. A file with a different SHA-256 is refused.' },
  ...publishOptions,
} as const satisfies OptionSpecs

/** For commands that publish exactly one file. */
export function readSource({ file, url, bytes, sha256 }: CommandInput<[], typeof fileOptions>['options']) {
  const list = (text: string | undefined) => (text === undefined ? [] : [text])
  if ((file === undefined) === (url === undefined)) throw new UsageError('Use either a file or --url.')
  return readSources(list(file), { url: list(url), bytes, sha256: list(sha256) })[0]!
}

interface SourcesOptions {
  readonly url: readonly string[]
  readonly bytes: string | undefined
  readonly sha256: readonly string[]
}

/** Returns the files first, then the URLs. */
export function readSources(files: readonly string[], { url: urls, bytes, sha256: digests }: SourcesOptions) {
  const sources = [...files.map((file) => ({ file })), ...urls.map((url) => ({ url }))]
  if (sources.length === 0) throw new UsageError('Name at least one file, or use --url.')
  if (digests.length > 0 && digests.length !== sources.length)
    throw new UsageError('--sha256 must be given once for each file, in the same order.')
  if (digests.some((digest) => !/^[0-9a-f]{64}$/i.test(digest)))
    throw new UsageError('--sha256 must be 64 hexadecimal digits.')
  if (bytes !== undefined && (files.length > 0 || urls.length !== 1 || digests.length !== 1))
    throw new UsageError('--bytes must be used with --sha256 and a single --url.')
  if (bytes !== undefined && !/^\d{1,15}$/.test(bytes))
    throw new UsageError(`--bytes must be a whole number, not "${bytes}".`)
  const size = bytes === undefined ? undefined : Number(bytes)
  return sources.map((source, index) => ({ ...source, bytes: size, sha256: digests[index], fetch: download }))
}

/** No address checks or size limits: the URL comes from the operator, and may be on a private network. */
export async function download(url: string) {
  const reply = await fetch(url, { headers: { 'accept-encoding': 'identity' } }).catch((error) => {
    throw new Error(describeNetworkError(error))
  })
  if (!reply.ok || !reply.body) throw new Error(`the server replied with status ${reply.status}`)
  const length = Number(reply.headers.get('content-length'))
  return { body: reply.body, ...(length > 0 && { bytes: length }) }
}

interface ChangeCommand<
  Args extends readonly ArgumentSpec[],
  Options extends OptionSpecs,
  T extends Change & Partial<Changed>,
> extends Omit<Command<Args, Options>, 'run' | 'settings'> {
  /** Makes the change. Returns the message after it, and its value for programs. */
  change(input: CommandInput<Args, Options>, dryRun: boolean): Promise<readonly [message: string, value: T]>
}

/** Defines a command that changes published content. It has the option --dry-run. */
export const defineChange = <
  const Args extends readonly ArgumentSpec[],
  T extends Change & Partial<Changed>,
  const Options extends OptionSpecs = Record<never, never>,
>({
  change,
  ...command
}: ChangeCommand<Args, Options, T>): Command =>
  defineCommand({
    ...command,
    settings,
    options: { ...command.options, ...dryRunOption },
    run: async (input) => {
      const { 'dry-run': dryRun, ...options } = input.options
      const changeInput = { ...input, options } as unknown as CommandInput<Args, Options>
      return formatChange(...(await change(changeInput, dryRun)), dryRun)
    },
  })

/** The message after a change, or the diff of a dry run. */
function formatChange<T extends Change & Partial<Changed>>(
  message: string,
  { fileVersion: _, ...change }: T,
  dryRun: boolean,
): CommandResult {
  const value = { ...change, dryRun }
  const { repaired = [] } = change
  const repair = repaired.length === 0 ? '' : `${dryRun ? 'This would restore' : 'Restored'} ${repaired.join(', ')}.`
  if (change.diff === '') return { text: repair || 'Nothing was changed: this is already published.', value }
  const text = dryRun
    ? `This would change ${change.file}:\n\n${colourDiff(change.diff)}\n\nNothing was changed.`
    : paint('green', message)
  return { text: repair ? `${text}\n${repair}` : text, value }
}

/** ", public from 2026-12-01 10:00 UTC", or nothing if that time has passed. */
export const formatPublicFrom = (date: string) =>
  Date.parse(date) > Date.now() ? `, public from ${formatTime(date)}` : ''

export const colourDiff = (diff: string) =>
  diff
    .split('\n')
    .map((line) => (line.startsWith('+') ? paint('green', line) : line.startsWith('-') ? paint('red', line) : line))
    .join('\n')

/** Reads a text file to publish. Other encodings than UTF-8 would be published as garbage. */
export async function readText(file: string): Promise<string> {
  const bytes = await readFile(file)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new OperatorError(`${file} is not UTF-8 text.`)
  }
}
