import { defineCommand } from '../command.ts'
import { withReleases } from '../open.ts'
import { changed, fileOptions, fromWhen, sourceOf } from '../publishing.ts'
import { version } from './release/arguments.ts'

export const resourcesPublish = defineCommand({
  name: 'resources publish',
  summary: 'Publishes the resources of the launcher; a running service tells of them within two seconds.',
  settings: ['CONTENT_DIR'],
  arguments: [version],
  options: fileOptions,
  examples: ['resources publish 3.2.0 --file resources.zip', 'resources publish 3.2.0 --file resources.zip --dry-run'],
  run: ({ config, args: { version }, options, progress }) =>
    withReleases(config, async ({ publishResources, sizeForPeople }, dir) => {
      using bar = progress('Reading', sizeForPeople)
      const published = await publishResources({ dir, version, ...sourceOf(options), onProgress: bar.show })
      const { bytes, sha256, date } = published
      const what = `Published resources ${version} (${sizeForPeople(bytes)}, SHA-256 ${sha256})${fromWhen(date)}.`
      return changed(what, published, options['dry-run'])
    }),
})
