// What the commands that publish have in common.
import { styleText } from 'node:util'
import type { Change } from '../features/releases/index.ts'
import { type CommandInput, type CommandResult, type OptionSpecs, UsageError } from './command.ts'
import { moment } from './text.ts'

export const dryRun = {
  'dry-run': { type: 'boolean', help: 'Shows what would change, and changes nothing.' },
} as const satisfies OptionSpecs

export const at = {
  at: { type: 'string', value: 'time', help: 'When it becomes public, such as 2026-12-01T10:00Z; now otherwise.' },
} as const satisfies OptionSpecs

export const fileOptions = {
  file: { type: 'string', value: 'path', help: 'The file; it is copied, and served from here.', completes: 'files' },
  url: { type: 'string', value: 'URL', help: 'Or where it can be downloaded; it is read once to measure it.' },
  bytes: { type: 'string', value: 'number', help: 'With --sha256: the size behind the URL, which is then not read.' },
  sha256: { type: 'string', value: 'hex', help: 'With --bytes: the SHA-256 of what is behind the URL.' },
  ...at,
  force: { type: 'boolean', help: 'Also a version that is older than the latest.' },
  ...dryRun,
} as const satisfies OptionSpecs

type FileOptions = CommandInput<[], typeof fileOptions>['options']

/** As the room takes them. */
export function sourceOf({ file, url, bytes, sha256, at, force, 'dry-run': dryRun }: FileOptions) {
  if ((file === undefined) === (url === undefined)) {
    throw new UsageError('Give either --file with a path, or --url with where it can be downloaded.')
  }
  const given = [bytes, sha256].filter((value) => value !== undefined).length
  if (given === 1) throw new UsageError('--bytes and --sha256 go together: without both the URL is read.')
  if (given === 2 && url === undefined) throw new UsageError('--bytes and --sha256 are for --url; a file is measured.')
  if (bytes !== undefined && !/^\d{1,15}$/.test(bytes)) {
    throw new UsageError(`--bytes must be a whole number, not "${bytes}".`)
  }
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/i.test(sha256)) {
    throw new UsageError('--sha256 must be 64 hexadecimal digits.')
  }
  const size = bytes === undefined ? undefined : Number(bytes)
  return { file, url, bytes: size, sha256, at, force, dryRun, fetch: download }
}

const reasons: Record<string, string> = {
  ENOTFOUND: 'there is no host of this name',
  EAI_AGAIN: 'the name of its host cannot be resolved at the moment',
  ECONNREFUSED: 'nothing answers at its host and port',
  ECONNRESET: 'its server hung up',
  ETIMEDOUT: 'its server does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'its server does not answer',
}

/** The operator's own URL, not a stranger's: it may be large, and on a private network. */
async function download(url: string) {
  const reply = await fetch(url, { headers: { 'accept-encoding': 'identity' } }).catch((error) => {
    const { code = '', message } = error.cause ?? error
    throw new Error(reasons[code] ?? (code || message))
  })
  if (!reply.ok || !reply.body) throw new Error(`the server answers ${reply.status}`)
  const length = Number(reply.headers.get('content-length'))
  return { body: reply.body, ...(length > 0 && { bytes: length }) }
}

/** What was changed, or with a dry run would be. */
export function changed<Told extends Change>(what: string, change: Told, dryRun: boolean): CommandResult {
  const text = dryRun
    ? `This would change app/${change.file}:\n\n${coloured(change.diff)}\n\nNothing was changed.`
    : styleText('green', what)
  return { text, value: { ...change, file: `app/${change.file}`, dryRun } }
}

/** ", public from 2026-12-01 10:00 UTC", where that is yet to come. */
export const fromWhen = (date: string) => (Date.parse(date) > Date.now() ? `, public from ${moment(date)}` : '')

const coloured = (diff: string) =>
  diff
    .split('\n')
    .map((line) =>
      line.startsWith('+') ? styleText('green', line) : line.startsWith('-') ? styleText('red', line) : line,
    )
    .join('\n')
