import { type ArgumentSpec, defineCommand } from '../command.ts'
import { dryRunOption, fileOptions, formatChange, formatPublicFrom, readSource, readText } from '../publish-options.ts'
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

export const releasePublish = defineCommand({
  name: 'release publish',
  summary: 'Publishes a release. A running service offers it within two seconds.',
  settings,
  arguments: [application, newVersion],
  options: {
    ...fileOptions,
    sha256: {
      value: 'hex',
      help: `${fileOptions.sha256.help} The SHA-512 is then unknown, so electron-updater is not offered this release.`,
    },
    beta: { help: 'Publishes to the beta channel only. Implied by versions such as 2.1.0-beta.1.' },
    notes: { value: 'file', help: 'Markdown file with the release notes.', completes: 'files' },
    rollout: {
      value: 'percent',
      help: 'Percentage of installations that are offered the release, 1 to 100. Default: 100.',
    },
    signature: { value: 'file', help: 'Signature file (.sig) of the Tauri bundler.', completes: 'files' },
  },
  examples: [
    'release publish launcher 2.1.0 --file setup.exe --notes notes.md --rollout 25',
    'release publish reshade 6.0.0 --url https://example.org/reshade.zip --at 2026-12-01T10:00Z --dry-run',
  ],
  run: ({ config, args, options, progress }) =>
    withReleases(config, async ({ publishRelease, formatBytes }, dir) => {
      using bar = progress('Reading', formatBytes)
      const [notes, signature] = await Promise.all([
        readOptionalText(options.notes),
        readOptionalText(options.signature),
      ])
      const published = await publishRelease({
        dir,
        ...args,
        ...readSource(options),
        notes,
        beta: options.beta,
        rollout: options.rollout === undefined ? undefined : Number(options.rollout),
        signature: signature?.trim(),
        onProgress: bar.show,
      })
      const { bytes, sha256, date } = published
      const file = `${formatBytes(bytes)}, SHA-256 ${sha256}`
      const share = options.rollout === undefined ? '' : `, for ${options.rollout} % of installations`
      const message = `Published ${args.application} ${args.version} (${file})${share}${formatPublicFrom(date)}.`
      return formatChange(message, { ...args, ...published }, options['dry-run'])
    }),
})

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
      const published = await publishResources({ dir, version, ...readSource(options), onProgress: bar.show })
      const { bytes, sha256, date } = published
      const file = `${formatBytes(bytes)}, SHA-256 ${sha256}`
      return formatChange(
        `Published resources ${version} (${file})${formatPublicFrom(date)}.`,
        published,
        options['dry-run'],
      )
    }),
})
