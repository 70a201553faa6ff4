import { defineCommand } from '../../command.ts'
import { withReleases } from '../../open.ts'
import { changed, dryRun } from '../../publishing.ts'
import { application, publishedVersion } from './arguments.ts'

export const releaseWithdraw = defineCommand({
  name: 'release withdraw',
  summary: 'Stops offering a release; it stays in the list, and its version is not used again.',
  settings: ['CONTENT_DIR'],
  arguments: [application, publishedVersion],
  options: dryRun,
  examples: ['release withdraw launcher 2.1.0'],
  run: ({ config, args, options: { 'dry-run': dryRun } }) =>
    withReleases(config, async ({ withdrawRelease }, dir) => {
      const change = await withdrawRelease({ dir, ...args, dryRun })
      return changed(`Withdrew ${args.application} ${args.version}.`, { ...args, ...change }, dryRun)
    }),
})

export const releaseRollout = defineCommand({
  name: 'release rollout',
  summary: 'Offers a release to more, or fewer, of the clients.',
  settings: ['CONTENT_DIR'],
  arguments: [application, publishedVersion, { name: 'percent', help: 'So many of a hundred clients, 1 to 100.' }],
  options: dryRun,
  examples: ['release rollout launcher 2.1.0 50', 'release rollout launcher 2.1.0 100'],
  run: ({ config, args: { application, version, percent }, options: { 'dry-run': dryRun } }) =>
    withReleases(config, async ({ rollOutRelease }, dir) => {
      const rollout = Number(percent)
      const change = await rollOutRelease({ dir, application, version, rollout, dryRun })
      const what = `${application} ${version} is now offered to ${rollout} % of clients.`
      return changed(what, { application, version, rollout, ...change }, dryRun)
    }),
})
