import { OperatorError, UsageError } from '../../errors/index.ts'
import type { AssetSource, listReleases } from '../../features/releases/index.ts'
import { defineCommand } from '../command.ts'
import {
  application,
  defineChange,
  fileOptions,
  formatPublicFrom,
  newVersion,
  parseRamp,
  parseWhole,
  publishedVersion,
  publishOptions,
  rampOptions,
  readSources,
  readText,
  settings,
  stateColours,
} from '../publish-options.ts'
import type { Format } from '../text.ts'

const readOptionalText = async (file: string | undefined) => (file === undefined ? undefined : readText(file))

const traitOptions = {
  platform: {
    value: 'name',
    help: 'Platform of all files of this command. Default: guessed from their names.',
    choices: ['windows', 'macos', 'linux', 'any'],
  },
  arch: {
    value: 'name',
    help: 'Architecture of all files of this command. Default: guessed from their names.',
    choices: ['x64', 'arm64', 'ia32', 'arm', 'riscv64', 'any'],
  },
  kind: { value: 'name', help: 'Kind of all files of this command, such as nsis. Default: guessed from their names.' },
} as const

export const releasePublish = defineChange({
  name: 'release publish',
  summary: 'Publishes a release, or adds files to one. A running service offers it within two seconds.',
  arguments: [
    application,
    newVersion,
    {
      name: 'files',
      help: 'Files to publish. They are copied into CONTENT_DIR and served from there. setup.exe.sig is used as the signature of setup.exe.',
      completes: 'files',
      many: true,
      optional: true,
    },
  ],
  options: {
    file: { ...fileOptions.file, help: 'File to publish, like an argument.', multiple: true },
    url: {
      value: 'URL',
      help: 'Download URL of a file. It is downloaded once to compute its size and SHA-256.',
      multiple: true,
    },
    bytes: {
      value: 'number',
      help: 'Size of the file at a single --url. Requires --sha256. The file is then not downloaded. The SHA-512 is then unknown, so electron-updater is not offered this release.',
    },
    sha256: {
      value: 'hex',
      help: 'Expected SHA-256, once for each file: first for the files, then for --url. A file with a different SHA-256 is refused.',
      multiple: true,
    },
    ...traitOptions,
    replace: { help: 'Replaces published files of the same platform, architecture and kind.' },
    signature: {
      value: 'file',
      help: 'File with the signature of the Tauri bundler (.sig), or with the EdDSA signature of Sparkle. Only if one file is published.',
      completes: 'files',
    },
    beta: { help: 'Publishes to the beta channel only. Implied by versions such as 2.1.0-beta.1.' },
    notes: {
      value: 'file',
      help: 'Markdown file with the release notes. If repeated, the first is the original, and the others are translations with the language in their names (notes.de.md).',
      completes: 'files',
      multiple: true,
    },
    rollout: {
      value: 'percent',
      help: 'Percentage of installations that are offered the release, 0 to 100. Default: 100.',
    },
    ramp: {
      value: 'steps',
      help: 'Percentages such as 10,50,100, instead of --rollout: the release is offered to more installations step by step.',
    },
    ...rampOptions,
    minimum: { value: 'version', help: 'The update is mandatory for installations below this version.' },
    'auto-update-from': {
      value: 'version',
      help: 'Installations below this version do not update automatically: Sparkle asks the user first, for example before a major update.',
    },
    ...publishOptions,
  },
  examples: [
    'release publish launcher 2.1.0 setup.exe --notes notes.md --rollout 25',
    'release publish launcher 2.1.0 dist/*.exe dist/*.dmg dist/*.AppImage --minimum 1.9.0',
    'release publish launcher 2.1.0 setup.exe --ramp 10,50,100 --every 24h --max-failures 5',
    'release publish reshade 6.0.0 --url https://example.org/reshade.zip --at 2026-12-01T10:00Z --dry-run',
  ],
  change: async ({ service, args: { files, ...args }, options, progress }, dryRun) => {
    const { joinNotes, formatBytes } = await import('../../features/releases/index.ts')
    using bar = progress('Reading', formatBytes)
    const { platform, arch, kind, minimum, replace, at, force } = options
    const { 'auto-update-from': autoUpdateFrom } = options
    const sources = await readSignedSources([...files, ...options.file], options)
    const ramp = readRamp(options)
    const traits = { platform, arch, kind: kind as AssetSource['kind'] }
    const notes = joinNotes(
      await Promise.all(options.notes.map(async (file) => ({ file, text: await readText(file) }))),
    )
    const input = {
      ...args,
      assets: sources.map((source) => ({ ...source, ...traits, onProgress: bar.show })),
      beta: options.beta,
      rollout: options.rollout === undefined ? undefined : parseWhole(options.rollout),
      ...{ notes, ramp, minimum, autoUpdateFrom, replace, at, force },
    }
    const published = await service.apply('release publish', input, dryRun)
    const { date, assets } = published
    const steps = ramp?.steps ?? (options.rollout === undefined ? [] : [options.rollout])
    const list = steps.map((step) => `${step} %`).join(', ')
    const every = ramp && steps.length > 1 ? `, one step every ${ramp.every}` : ''
    const share = list === '' ? '' : `, for ${list} of installations${every}`
    const lines = assets.map(
      ({ platform, arch, kind, name, bytes, sha256 }) =>
        `  ${platform}, ${arch}, ${kind}: ${name} (${formatBytes(bytes)}, SHA-256 ${sha256})`,
    )
    const guessed = Object.entries({ platform, arch, kind }).flatMap(([name, value]) => (value ? [] : [name]))
    const message = [
      `Published ${args.application} ${args.version}${share}${formatPublicFrom(date)}:`,
      ...lines,
      ...(guessed.length > 0 ? [`Guessed from the file names: ${guessed.join(', ')}.`] : []),
    ].join('\n')
    return [message, { ...args, ...published }]
  },
})

function readRamp(
  options: Parameters<typeof parseRamp>[1] & { ramp: string | undefined; rollout: string | undefined },
) {
  const { ramp, rollout, every, 'max-failures': maxFailures } = options
  if (ramp !== undefined && rollout !== undefined) throw new UsageError('Use either --rollout or --ramp.')
  if (ramp !== undefined) return parseRamp(ramp, options)
  if ((every ?? maxFailures) !== undefined) throw new UsageError('--every and --max-failures must be used with --ramp.')
  return undefined
}

/** Files and URLs to publish. A .sig file belongs to the file with its name. */
async function readSignedSources(
  paths: readonly string[],
  options: Parameters<typeof readSources>[1] & { signature: string | undefined },
) {
  const signatures = paths.filter((path) => path.endsWith('.sig'))
  const files = paths.filter((path) => !signatures.includes(path))
  const stray = signatures.find((path) => !files.includes(path.slice(0, -'.sig'.length)))
  if (stray !== undefined) throw new UsageError(`${stray} must be used together with the file that it signs.`)
  const sources = readSources(files, options)
  if (options.signature !== undefined && sources.length > 1) throw new UsageError('--signature is for a single file.')
  return Promise.all(
    sources.map(async (source) => {
      const path =
        options.signature ?? ('file' in source ? signatures.find((name) => name === `${source.file}.sig`) : undefined)
      return { ...source, signature: (await readOptionalText(path))?.trim() }
    }),
  )
}

export const releaseList = defineCommand({
  name: 'release list',
  summary:
    'Lists the releases, or the files of one release. Includes scheduled and withdrawn releases. Each application has its ' +
    'highest version first.',
  settings,
  arguments: [
    { ...application, optional: true },
    { ...publishedVersion, help: 'A version: lists the files of this release.', optional: true },
  ],
  examples: ['release list', 'release list launcher --json', 'release list launcher 2.1.0'],
  run: async ({ service, args, format }) => {
    const { formatBytes, isSameVersion } = await import('../../features/releases/index.ts')
    const releases = (await service.listReleases()).filter(
      ({ application, version }) =>
        (!args.application || application === args.application) &&
        (!args.version || isSameVersion(version, args.version)),
    )
    if (args.version && releases.length === 0)
      throw new OperatorError(
        `There is no release ${args.application} ${args.version}. "release list" shows all releases.`,
      )
    if (args.version) return { text: format.table(listFiles(releases, formatBytes), ''), value: { releases } }
    const rows = releases.map(({ application, version, beta, state, ...release }) => ({
      application,
      version,
      channel: beta ? 'beta' : 'stable',
      state,
      date: format.time(release.date),
      rollout: formatRollout(release, format),
      minimum: release.minimum ?? '',
    }))
    return { text: format.table(rows, 'There are no releases.', stateColours), value: { releases } }
  },
})

type ListedRelease = Awaited<ReturnType<typeof listReleases>>[number]

const listFiles = (releases: readonly ListedRelease[], formatBytes: (bytes: number) => string) =>
  releases.flatMap(({ assets }) =>
    assets.map(({ platform, arch, kind, bytes, source }) => ({
      'file or URL': source.file ?? source.url,
      ...{ platform, arch, kind },
      size: formatBytes(bytes),
    })),
  )

/** Such as "10 %, 50 % in 3 hours" or "10 %, 12 of 300 failed". */
function formatRollout({ rollout, ramp }: Pick<ListedRelease, 'rollout' | 'ramp'>, format: Format): string {
  const { nextStep, pausedAt, failures } = ramp ?? {}
  const next = nextStep && `${nextStep.percent} % ${format.time(nextStep.date)}`
  const failed = pausedAt !== undefined && failures && `${failures.failed} of ${failures.total} failed`
  return [`${rollout} %`, next, failed].filter(Boolean).join(', ')
}
