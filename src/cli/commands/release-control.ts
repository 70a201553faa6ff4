// Commands that decide who is offered a published release.
import { defineCommand } from '../command.ts'
import { dryRunOption, formatChange, readText } from '../publish-options.ts'
import { application, newVersion, parseRamp, publishedVersion, rampOptions, settings } from '../release-arguments.ts'
import { withReleases } from '../with-services.ts'

const release = [application, publishedVersion] as const

export const releaseRollout = defineCommand({
  name: 'release rollout',
  summary: 'Sets the percentage of installations that are offered a release, and ends its ramp.',
  settings,
  arguments: [
    ...release,
    {
      name: 'percent',
      help: 'Percentage of installations, 0 to 100. 0: only checks with manual=true are offered the release.',
    },
  ],
  options: dryRunOption,
  examples: ['release rollout launcher 2.1.0 50', 'release rollout launcher 2.1.0 0'],
  run: ({ config, args: { application, version, percent }, options: { 'dry-run': dryRun } }) =>
    withReleases(config, async ({ rollOutRelease }, dir) => {
      const rollout = /^\d{1,3}$/.test(percent) ? Number(percent) : Number.NaN
      const { isRampEnded, ...change } = await rollOutRelease({ dir, application, version, rollout, dryRun })
      const end = isRampEnded ? ' Its ramp has ended.' : ''
      const message = `${application} ${version} is now offered to ${rollout} % of installations.${end}`
      return formatChange(message, { application, version, rollout, ...change }, dryRun)
    }),
})

export const releaseRamp = defineCommand({
  name: 'release ramp',
  summary: 'Raises the rollout of a release step by step, without further commands.',
  settings,
  arguments: [...release, { name: 'steps', help: 'Percentages of installations, ascending, such as 10,50,100.' }],
  options: { ...rampOptions, ...dryRunOption },
  examples: [
    'release ramp launcher 2.1.0 10,50,100 --every 24h',
    'release ramp launcher 2.1.0 1,10,100 --every 12h --max-failures 5',
  ],
  run: ({ config, args: { application, version, steps }, options: { 'dry-run': dryRun, ...options } }) =>
    withReleases(config, async ({ rampRelease }, dir) => {
      const ramp = parseRamp(steps, options)
      const change = await rampRelease({ dir, application, version, ramp, dryRun })
      const list = ramp.steps.map((step) => `${step} %`).join(', ')
      const message = `${application} ${version} is offered to ${list} of installations, one step every ${ramp.every}.`
      return formatChange(message, { application, version, ramp, ...change }, dryRun)
    }),
})

export const releasePause = defineCommand({
  name: 'release pause',
  summary: 'Stops a ramp at its current percentage. Installations that were offered the release are still offered it.',
  settings,
  arguments: release,
  options: dryRunOption,
  examples: ['release pause launcher 2.1.0'],
  run: ({ config, args, options: { 'dry-run': dryRun } }) =>
    withReleases(config, async ({ pauseRamp }, dir) => {
      const change = await pauseRamp({ dir, ...args, dryRun })
      const message = `The ramp of ${args.application} ${args.version} is paused at ${change.rollout} %.`
      return formatChange(message, { ...args, ...change }, dryRun)
    }),
})

export const releaseResume = defineCommand({
  name: 'release resume',
  summary: 'Continues a paused ramp. The next step follows after the time that was left.',
  settings,
  arguments: release,
  options: dryRunOption,
  examples: ['release resume launcher 2.1.0'],
  run: ({ config, args, options: { 'dry-run': dryRun } }) =>
    withReleases(config, async ({ resumeRamp }, dir) => {
      const change = await resumeRamp({ dir, ...args, dryRun })
      const message = `The ramp of ${args.application} ${args.version} continues from ${change.rollout} %.`
      return formatChange(message, { ...args, ...change }, dryRun)
    }),
})

const parseCount = (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : Number.NaN)

export const releaseReportFailures = defineCommand({
  name: 'release report-failures',
  summary:
    'Records how many installations of a release failed. Pauses its ramp above the --max-failures given to "release ramp".',
  settings,
  arguments: [
    ...release,
    { name: 'failed', help: 'Number of installations that failed.' },
    { name: 'total', help: 'Number of installations that tried the release, including those that failed.' },
  ],
  options: dryRunOption,
  examples: ['release report-failures launcher 2.1.0 12 300'],
  run: ({ config, args: { failed, total, ...args }, options: { 'dry-run': dryRun } }) =>
    withReleases(config, async ({ reportFailures }, dir) => {
      const counts = { failed: parseCount(failed), total: parseCount(total) }
      const { isTooMany, ...change } = await reportFailures({ dir, ...args, ...counts, dryRun })
      const ramp = `its ramp ${change.isPaused ? 'is paused' : 'continues'} at ${change.rollout} %`
      const message = `${failed} of ${total} installations of ${args.application} ${args.version} failed; ${ramp}.`
      return formatChange(message, { ...args, ...counts, ...change }, dryRun)
    }),
})

export const releaseWithdraw = defineCommand({
  name: 'release withdraw',
  summary: 'Removes a release from updates and downloads, and pauses its ramp. Its version cannot be reused.',
  settings,
  arguments: release,
  options: dryRunOption,
  examples: ['release withdraw launcher 2.1.0'],
  run: ({ config, args, options: { 'dry-run': dryRun } }) =>
    withReleases(config, async ({ withdrawRelease }, dir) => {
      const change = await withdrawRelease({ dir, ...args, dryRun })
      return formatChange(`Withdrew ${args.application} ${args.version}.`, { ...args, ...change }, dryRun)
    }),
})

export const releaseRestore = defineCommand({
  name: 'release restore',
  summary:
    'Offers a withdrawn release again, to the same percentage of installations. "release resume" continues its ramp.',
  settings,
  arguments: release,
  options: dryRunOption,
  examples: ['release restore launcher 2.1.0'],
  run: ({ config, args, options: { 'dry-run': dryRun } }) =>
    withReleases(config, async ({ restoreRelease }, dir) => {
      const change = await restoreRelease({ dir, ...args, dryRun })
      const ramp = change.isRampPaused ? ' Its ramp is paused; "release resume" continues it.' : ''
      return formatChange(`Restored ${args.application} ${args.version}.${ramp}`, { ...args, ...change }, dryRun)
    }),
})

export const releaseSupersede = defineCommand({
  name: 'release supersede',
  summary: 'Replaces a withdrawn release: publishes the files of the release before it under a new, higher version.',
  settings,
  arguments: [
    application,
    { ...publishedVersion, help: 'The withdrawn version.' },
    { ...newVersion, name: 'new-version' },
  ],
  options: {
    notes: { value: 'file', help: 'Markdown file with the release notes. Default: those of the older release.' },
    ...dryRunOption,
  },
  examples: ['release supersede launcher 2.1.0 2.1.1'],
  run: ({ config, args: { 'new-version': newVersion, ...args }, options: { notes: file, 'dry-run': dryRun } }) =>
    withReleases(config, async ({ supersedeRelease }, dir) => {
      const notes = file === undefined ? undefined : await readText(file)
      const change = await supersedeRelease({ dir, ...args, newVersion, notes, dryRun })
      const { application, version } = args
      const message = `Published ${application} ${newVersion} with the files of ${change.source}; it replaces ${version}.`
      return formatChange(message, { application, withdrawn: version, ...change }, dryRun)
    }),
})
