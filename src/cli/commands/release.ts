import { UsageError } from '../../errors/index.ts'
import type { AssetSource } from '../../features/releases/index.ts'
import { type ArgumentSpec, defineCommand } from '../command.ts'
import {
  dryRunOption,
  fileOptions,
  formatChange,
  formatPublicFrom,
  publishOptions,
  readSource,
  readSources,
  readText,
} from '../publish-options.ts'
import { formatTable, formatTime } from '../text.ts'
import { withReleases } from '../with-services.ts'

const settings = ['CONTENT_DIR'] as const

const application = {
  name: 'application',
  help: 'The application.',
  choices: ['launcher', 'reshade', 'fpsUnlocker'],
} as const satisfies ArgumentSpec

const publishedVersion = {
  name: 'version',
  help: 'A published version. "release list" shows them.',
  completes: 'releases',
} as const satisfies ArgumentSpec

const newVersion = {
  name: 'version',
  help: 'A version of one to four numbers, such as 8.7.3.1 or 2.1.0-beta.1.',
} as const satisfies ArgumentSpec

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
    choices: ['x64', 'arm64', 'ia32', 'arm', 'any'],
  },
  kind: { value: 'name', help: 'Kind of all files of this command, such as nsis. Default: guessed from their names.' },
} as const

export const releasePublish = defineCommand({
  name: 'release publish',
  summary:
    'Publishes the files of a release, or adds files to a published one. A running service offers it within two seconds.',
  settings,
  arguments: [
    application,
    newVersion,
    {
      name: 'files',
      help: 'Files to publish. They are copied into CONTENT_DIR and served from there. A .sig file is the signature of the file with its name.',
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
      help: 'Size of the file at a single --url. With --sha256, it is not downloaded. The SHA-512 is then unknown, so electron-updater is not offered this release.',
    },
    sha256: {
      value: 'hex',
      help: 'Expected SHA-256, once for each file, in the same order. Another file is refused.',
      multiple: true,
    },
    ...traitOptions,
    replace: { help: 'Replaces published files of the same platform, architecture and kind.' },
    signature: {
      value: 'file',
      help: 'File with the signature of the Tauri bundler (.sig), or with the EdDSA signature of Sparkle, for a single file.',
      completes: 'files',
    },
    beta: { help: 'Publishes to the beta channel only. Implied by versions such as 2.1.0-beta.1.' },
    notes: {
      value: 'file',
      help: 'Markdown file with the release notes. Several files are translations by their names (notes.de.md), the original first.',
      completes: 'files',
      multiple: true,
    },
    rollout: {
      value: 'percent',
      help: 'Percentage of installations that are offered the release, 1 to 100. Default: 100.',
    },
    minimum: { value: 'version', help: 'The update is mandatory for installations below this version.' },
    ...publishOptions,
  },
  examples: [
    'release publish launcher 2.1.0 setup.exe --notes notes.md --rollout 25',
    'release publish launcher 2.1.0 dist/*.exe dist/*.dmg dist/*.AppImage --minimum 1.9.0',
    'release publish reshade 6.0.0 --url https://example.org/reshade.zip --at 2026-12-01T10:00Z --dry-run',
  ],
  run: ({ config, args: { files, ...args }, options, progress }) =>
    withReleases(config, async ({ publishRelease, joinNotes, formatBytes }, dir) => {
      using bar = progress('Reading', formatBytes)
      const { platform, arch, kind, minimum, replace, at, force, 'dry-run': dryRun } = options
      const sources = await readSignedSources([...files, ...options.file], options)
      const traits = { platform, arch, kind: kind as AssetSource['kind'] }
      const published = await publishRelease({
        dir,
        ...args,
        assets: sources.map((source) => ({ ...source, ...traits, onProgress: bar.show })),
        notes: joinNotes(await Promise.all(options.notes.map(async (file) => ({ file, text: await readText(file) })))),
        beta: options.beta,
        rollout: options.rollout === undefined ? undefined : Number(options.rollout),
        ...{ minimum, replace, at, force, dryRun },
      })
      const { date, assets } = published
      const share = options.rollout === undefined ? '' : `, for ${options.rollout} % of installations`
      const lines = assets.map(
        ({ platform, arch, kind, name, bytes, sha256 }) =>
          `  ${platform}, ${arch}, ${kind}: ${name} (${formatBytes(bytes)}, SHA-256 ${sha256})`,
      )
      const isGuessed = platform === undefined || arch === undefined || kind === undefined
      const message = [
        `Published ${args.application} ${args.version}${share}${formatPublicFrom(date)}:`,
        ...lines,
        ...(isGuessed ? ['What the options do not state was guessed from the names.'] : []),
      ].join('\n')
      return formatChange(message, { ...args, ...published }, dryRun)
    }),
})

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

const colours = { public: 'green', 'rolling out': 'cyan', scheduled: 'yellow', withdrawn: 'red' } as const

export const releaseList = defineCommand({
  name: 'release list',
  summary: 'Lists the releases of each application, highest version first, including scheduled and withdrawn ones.',
  settings,
  arguments: [{ ...application, optional: true }],
  examples: ['release list', 'release list launcher --json'],
  run: ({ config, args }) =>
    withReleases(config, async ({ listReleases, formatBytes }, dir) => {
      const all = await listReleases(dir)
      const releases = all.filter((release) => !args.application || release.application === args.application)
      const rows = releases.flatMap(({ application, version, beta, state, rollout, date, assets }) =>
        assets.map(({ platform, arch, kind, bytes, source }) => ({
          application,
          version,
          channel: beta ? 'beta' : 'stable',
          state,
          rollout: `${rollout} %`,
          date: formatTime(date),
          platform,
          arch,
          kind,
          size: formatBytes(bytes),
          'file or URL': source.file ?? source.url,
        })),
      )
      return { text: formatTable(rows, 'There are no releases.', colours), value: { releases } }
    }),
})

export const releaseRollout = defineCommand({
  name: 'release rollout',
  summary: 'Changes the percentage of installations that are offered a release.',
  settings,
  arguments: [application, publishedVersion, { name: 'percent', help: 'Percentage of installations, 1 to 100.' }],
  options: dryRunOption,
  examples: ['release rollout launcher 2.1.0 50', 'release rollout launcher 2.1.0 100'],
  run: ({ config, args: { application, version, percent }, options: { 'dry-run': dryRun } }) =>
    withReleases(config, async ({ rollOutRelease }, dir) => {
      const rollout = Number(percent)
      const change = await rollOutRelease({ dir, application, version, rollout, dryRun })
      const message = `${application} ${version} is now offered to ${rollout} % of installations.`
      return formatChange(message, { application, version, rollout, ...change }, dryRun)
    }),
})

export const releaseWithdraw = defineCommand({
  name: 'release withdraw',
  summary: 'Removes a release from updates and downloads. "release list" still shows it. Its version cannot be reused.',
  settings,
  arguments: [application, publishedVersion],
  options: dryRunOption,
  examples: ['release withdraw launcher 2.1.0'],
  run: ({ config, args, options: { 'dry-run': dryRun } }) =>
    withReleases(config, async ({ withdrawRelease }, dir) => {
      const change = await withdrawRelease({ dir, ...args, dryRun })
      return formatChange(`Withdrew ${args.application} ${args.version}.`, { ...args, ...change }, dryRun)
    }),
})

export const resourcesPublish = defineCommand({
  name: 'resources publish',
  summary: 'Publishes the resources of the launcher. A running service offers them within two seconds.',
  settings,
  arguments: [newVersion],
  options: fileOptions,
  examples: ['resources publish 3.2.0 --file resources.zip', 'resources publish 3.2.0 --file resources.zip --dry-run'],
  run: ({ config, args: { version }, options, progress }) =>
    withReleases(config, async ({ publishResources, formatBytes }, dir) => {
      using bar = progress('Reading', formatBytes)
      const published = await publishResources({
        ...{ dir, version, at: options.at, force: options.force, dryRun: options['dry-run'] },
        ...readSource(options),
        onProgress: bar.show,
      })
      const { bytes, sha256, date } = published
      const file = `${formatBytes(bytes)}, SHA-256 ${sha256}`
      return formatChange(
        `Published resources ${version} (${file})${formatPublicFrom(date)}.`,
        published,
        options['dry-run'],
      )
    }),
})
