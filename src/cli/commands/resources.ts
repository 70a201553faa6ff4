import { UsageError } from '../../errors/index.ts'
import type { Change } from '../../platform/files/index.ts'
import { type ArgumentSpec, defineCommand } from '../command.ts'
import {
  defineChange,
  fileOptions,
  formatPublicFrom,
  newVersion,
  readSource,
  settings,
  stateColours,
} from '../publish-options.ts'

const publishedVersion = {
  name: 'version',
  help: 'A published version of the resources. "resources list" shows them.',
  completes: 'resources',
} as const satisfies ArgumentSpec

export const resourcesPublish = defineChange({
  name: 'resources publish',
  summary:
    'Publishes resources of the launcher. Resources are a file with data, which has its own version. A running service ' +
    'offers it within two seconds.',
  arguments: [newVersion, { name: 'file', help: 'File to publish, like --file.', optional: true, completes: 'files' }],
  options: fileOptions,
  examples: ['resources publish 3.2.0 resources.zip', 'resources publish 3.2.0 resources.zip --dry-run'],
  change: async ({ service, args: { version, file }, options, progress }, dryRun) => {
    const { formatBytes } = await import('../../features/releases/index.ts')
    using bar = progress('Reading', formatBytes)
    if (file !== undefined && options.file !== undefined) throw new UsageError('Name one file.')
    const source = readSource({ ...options, file: file ?? options.file })
    const input = { version, at: options.at, force: options.force, ...source, onProgress: bar.show }
    const published = await service.apply('resources publish', input, dryRun)
    const { bytes, sha256, date } = published
    const summary = `${formatBytes(bytes)}, SHA-256 ${sha256}`
    return [`Published resources ${version} (${summary})${formatPublicFrom(date)}.`, published]
  },
})

export const resourcesList = defineCommand({
  name: 'resources list',
  summary: 'Lists the resources of the launcher. Highest version first. Includes scheduled and withdrawn ones.',
  settings,
  examples: ['resources list', 'resources list --json'],
  run: async ({ service, format }) => {
    const { formatBytes } = await import('../../features/releases/index.ts')
    const resources = await service.listResources()
    const rows = resources.map(({ version, state, date, bytes, source }) => ({
      version,
      state,
      date: format.time(date),
      size: formatBytes(bytes),
      'file or URL': source.file ?? source.url,
    }))
    return { text: format.table(rows, 'There are no resources.', stateColours), value: { resources } }
  },
})

const defineResourceChange = (verb: 'withdraw' | 'restore' | 'remove', done: string, summary: string) =>
  defineChange({
    name: `resources ${verb}`,
    summary,
    arguments: [publishedVersion],
    examples: [`resources ${verb} 3.2.0`],
    change: async ({ service, args: { version } }, dryRun) => {
      const result: Change & { isRampPaused?: boolean } = await service.apply(`resources ${verb}`, { version }, dryRun)
      const { isRampPaused: _, ...change } = result
      return [`${done} resources ${version}.`, { version, ...change }]
    },
  })

export const resourcesWithdraw = defineResourceChange(
  'withdraw',
  'Withdrew',
  'Stops offering a version of the resources. "resources list" still shows it.',
)
export const resourcesRestore = defineResourceChange(
  'restore',
  'Restored',
  'Offers a withdrawn version of the resources again.',
)
export const resourcesRemove = defineResourceChange(
  'remove',
  'Removed',
  'Removes a version of the resources. Its file stays, so that "history undo" restores it.',
)
