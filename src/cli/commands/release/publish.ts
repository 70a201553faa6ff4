import { defineCommand } from '../../command.ts'
import { withReleases } from '../../open.ts'
import { changed, fileOptions, fromWhen, sourceOf } from '../../publishing.ts'
import { readText } from '../../read-text.ts'
import { application, version } from './arguments.ts'

const textIn = async (file: string | undefined) => (file === undefined ? undefined : readText(file))

export const releasePublish = defineCommand({
  name: 'release publish',
  summary: 'Publishes a release; a running service offers it within two seconds.',
  settings: ['CONTENT_DIR'],
  arguments: [application, version],
  options: {
    ...fileOptions,
    beta: { type: 'boolean', help: 'Only for the beta channel; so is every version such as 2.1.0-beta.1.' },
    notes: { type: 'string', value: 'file', help: 'Markdown that tells what is new.', completes: 'files' },
    rollout: { type: 'string', value: 'percent', help: 'Offers it only to so many of a hundred clients, 1 to 100.' },
    signature: { type: 'string', value: 'file', help: 'The .sig file of Tauri’s bundler.', completes: 'files' },
  },
  examples: [
    'release publish launcher 2.1.0 --file setup.exe --notes notes.md --rollout 25',
    'release publish reshade 6.0.0 --url https://example.org/reshade.zip --at 2026-12-01T10:00Z --dry-run',
  ],
  run: ({ config, args, options, progress }) =>
    withReleases(config, async ({ publishRelease, sizeForPeople }, dir) => {
      using bar = progress('Reading', sizeForPeople)
      const [notes, signature] = await Promise.all([textIn(options.notes), textIn(options.signature)])
      const published = await publishRelease({
        ...{ dir, ...args, ...sourceOf(options), notes },
        beta: options.beta,
        rollout: options.rollout === undefined ? undefined : Number(options.rollout),
        signature: signature?.trim(),
        onProgress: bar.show,
      })
      const { bytes, sha256, date } = published
      const share = options.rollout === undefined ? '' : `, to ${options.rollout} % of clients`
      const what = `Published ${args.application} ${args.version} (${sizeForPeople(bytes)}, SHA-256 ${sha256})`
      return changed(`${what}${share}${fromWhen(date)}.`, { ...args, ...published }, options['dry-run'])
    }),
})
