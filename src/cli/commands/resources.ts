import { UsageError } from '../../errors/index.ts'
import { type ArgumentSpec, defineCommand } from '../command.ts'
import {
  dryRunOption,
  fileOptions,
  formatChange,
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

export const resourcesPublish = defineCommand({
  name: 'resources publish',
  summary:
    'Publishes resources of the launcher. Resources are a file with data, which has its own version. A running service ' +
    'offers it within two seconds.',
  actsOn: 'service',
  settings,
  arguments: [newVersion, { name: 'file', help: 'File to publish, like --file.', optional: true, completes: 'files' }],
  options: fileOptions,
  examples: ['resources publish 3.2.0 resources.zip', 'resources publish 3.2.0 resources.zip --dry-run'],
  run: async ({ service, args: { version, file }, options, progress }) => {
    const { formatBytes } = await import('../../features/releases/index.ts')
    using bar = progress('Reading', formatBytes)
    if (file !== undefined && options.file !== undefined) throw new UsageError('Name one file.')
    const source = readSource({ ...options, file: file ?? options.file })
    const input = { version, at: options.at, force: options.force, ...source, onProgress: bar.show }
    const published = await service.apply('resources publish', input, options['dry-run'])
    const { bytes, sha256, date } = published
    const summary = `${formatBytes(bytes)}, SHA-256 ${sha256}`
    return formatChange(
      `Published resources ${version} (${summary})${formatPublicFrom(date)}.`,
      published,
      options['dry-run'],
    )
  },
})

export const resourcesList = defineCommand({
  name: 'resources list',
  summary: 'Lists the resources of the launcher. Highest version first. Includes scheduled and withdrawn ones.',
  actsOn: 'service',
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

export const resourcesWithdraw = defineCommand({
  name: 'resources withdraw',
  summary: 'Stops offering a version of the resources. "resources list" still shows it.',
  actsOn: 'service',
  settings,
  arguments: [publishedVersion],
  options: dryRunOption,
  examples: ['resources withdraw 3.2.0'],
  run: async ({ service, args: { version }, options: { 'dry-run': dryRun } }) => {
    const change = await service.apply('resources withdraw', { version }, dryRun)
    return formatChange(`Withdrew resources ${version}.`, { version, ...change }, dryRun)
  },
})

export const resourcesRestore = defineCommand({
  name: 'resources restore',
  summary: 'Offers a withdrawn version of the resources again.',
  actsOn: 'service',
  settings,
  arguments: [publishedVersion],
  options: dryRunOption,
  examples: ['resources restore 3.2.0'],
  run: async ({ service, args: { version }, options: { 'dry-run': dryRun } }) => {
    const { isRampPaused: _, ...change } = await service.apply('resources restore', { version }, dryRun)
    return formatChange(`Restored resources ${version}.`, { version, ...change }, dryRun)
  },
})

export const resourcesRemove = defineCommand({
  name: 'resources remove',
  summary: 'Removes a version of the resources. Its file stays, so that "history undo" restores it.',
  actsOn: 'service',
  settings,
  arguments: [publishedVersion],
  options: dryRunOption,
  examples: ['resources remove 3.2.0'],
  run: async ({ service, args: { version }, options: { 'dry-run': dryRun } }) => {
    const change = await service.apply('resources remove', { version }, dryRun)
    return formatChange(`Removed resources ${version}.`, { version, ...change }, dryRun)
  },
})
