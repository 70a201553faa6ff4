// Commands that decide who is offered a published release.
import { formatCommand } from '../help.ts'
import {
  application,
  defineChange,
  newVersion,
  parseRamp,
  parseWhole,
  publishedVersion,
  rampOptions,
  readText,
} from '../publish-options.ts'

const release = [application, publishedVersion] as const

export const releaseRollout = defineChange({
  name: 'release rollout',
  summary: 'Offers a release to a percentage of installations. Ends its ramp.',
  arguments: [
    ...release,
    {
      name: 'percent',
      help: 'Percentage of installations, 0 to 100. 0: only users who ask for updates themselves (manual=true) are offered the release.',
    },
  ],
  examples: ['release rollout launcher 2.1.0 50', 'release rollout launcher 2.1.0 0'],
  change: async ({ service, args: { application, version, percent } }, dryRun) => {
    const rollout = parseWhole(percent)
    const input = { application, version, rollout }
    const { isRampEnded, ...change } = await service.apply('release rollout', input, dryRun)
    const end = isRampEnded ? ' Its ramp has ended.' : ''
    const message = `${application} ${version} is now offered to ${rollout} % of installations.${end}`
    return [message, { application, version, rollout, ...change }]
  },
})

export const releaseRamp = defineChange({
  name: 'release ramp',
  summary: 'Raises the rollout of a release step by step.',
  arguments: [...release, { name: 'steps', help: 'Percentages of installations, ascending, such as 10,50,100.' }],
  options: rampOptions,
  examples: [
    'release ramp launcher 2.1.0 10,50,100 --every 24h',
    'release ramp launcher 2.1.0 1,10,100 --every 12h --max-failures 5',
  ],
  change: async ({ service, args: { application, version, steps }, options }, dryRun) => {
    const ramp = parseRamp(steps, options)
    const change = await service.apply('release ramp', { application, version, ...ramp }, dryRun)
    const list = ramp.steps.map((step) => `${step} %`).join(', ')
    const message = `${application} ${version} is offered to ${list} of installations, one step every ${ramp.every}.`
    return [message, { application, version, ramp, ...change }]
  },
})

export const releasePause = defineChange({
  name: 'release pause',
  summary: 'Stops a ramp at its current percentage. Installations that were offered the release are still offered it.',
  arguments: release,
  examples: ['release pause launcher 2.1.0'],
  change: async ({ service, args }, dryRun) => {
    const change = await service.apply('release pause', args, dryRun)
    const message = `The ramp of ${args.application} ${args.version} is paused at ${change.rollout} %.`
    return [message, { ...args, ...change }]
  },
})

export const releaseResume = defineChange({
  name: 'release resume',
  summary:
    'Continues a paused ramp. The next step follows after the time that was left. Failures that were reported before no longer count.',
  arguments: release,
  examples: ['release resume launcher 2.1.0'],
  change: async ({ service, args }, dryRun) => {
    const change = await service.apply('release resume', args, dryRun)
    const message = `The ramp of ${args.application} ${args.version} continues from ${change.rollout} %.`
    return [message, { ...args, ...change }]
  },
})

export const releaseReportFailures = defineChange({
  name: 'release report-failures',
  summary:
    'Reports how many installations of a release failed. Pauses its ramp if the percentage is higher than its --max-failures.',
  arguments: [
    ...release,
    { name: 'failed', help: 'Number of installations that failed.' },
    { name: 'total', help: 'Number of installations that tried the release, including those that failed.' },
  ],
  examples: ['release report-failures launcher 2.1.0 12 300'],
  change: async ({ service, args: { failed, total, ...args } }, dryRun) => {
    const counts = { failed: parseWhole(failed), total: parseWhole(total) }
    const input = { ...args, ...counts }
    const { isTooMany, ...change } = await service.apply('release report-failures', input, dryRun)
    const ramp = `its ramp ${change.isPaused ? 'is paused' : 'continues'} at ${change.rollout} %`
    const message = `${failed} of ${total} installations of ${args.application} ${args.version} failed; ${ramp}.`
    return [message, { ...args, ...counts, ...change }]
  },
})

export const releaseWithdraw = defineChange({
  name: 'release withdraw',
  summary:
    'Stops offering a release. Removes it from updates and downloads, and pauses its ramp. Its version cannot be reused.',
  arguments: release,
  examples: ['release withdraw launcher 2.1.0'],
  change: async ({ service, args }, dryRun) => {
    const change = await service.apply('release withdraw', args, dryRun)
    return [`Withdrew ${args.application} ${args.version}.`, { ...args, ...change }]
  },
})

export const releaseRestore = defineChange({
  name: 'release restore',
  summary:
    'Offers a withdrawn release again. The percentage of installations stays the same. "release resume" continues its ramp.',
  arguments: release,
  examples: ['release restore launcher 2.1.0'],
  change: async ({ service, args }, dryRun) => {
    const change = await service.apply('release restore', args, dryRun)
    const resume = formatCommand(`release resume ${args.application} ${args.version}`)
    const ramp = change.isRampPaused ? ` Its ramp is paused; "${resume}" continues it.` : ''
    return [`Restored ${args.application} ${args.version}.${ramp}`, { ...args, ...change }]
  },
})

export const releaseSupersede = defineChange({
  name: 'release supersede',
  summary:
    'Replaces a withdrawn release with an older one. Publishes the files of the release before it under a new, higher ' +
    'version.',
  arguments: [
    application,
    { ...publishedVersion, help: 'The withdrawn version.' },
    { ...newVersion, name: 'new-version' },
  ],
  options: {
    notes: {
      value: 'file',
      completes: 'files',
      help: 'Markdown file with the release notes. Default: those of the older release.',
    },
  },
  examples: ['release supersede launcher 2.1.0 2.1.1'],
  change: async ({ service, args: { 'new-version': newVersion, ...args }, options: { notes: file } }, dryRun) => {
    const input = { ...args, newVersion, notes: file === undefined ? undefined : await readText(file) }
    const change = await service.apply('release supersede', input, dryRun)
    const { application, version } = args
    const message = `Published ${application} ${newVersion} with the files of ${change.source}; it replaces ${version}.`
    return [message, { application, withdrawn: version, ...change }]
  },
})

export const releaseNotes = defineChange({
  name: 'release notes',
  summary: 'Replaces the notes of a published release.',
  arguments: [
    ...release,
    {
      name: 'files',
      help:
        'Markdown file. One file replaces the notes of one language: notes.de.md the German ones, notes.md the original. ' +
        'Several files replace all notes, the original first.',
      completes: 'files',
      many: true,
    },
  ],
  examples: ['release notes launcher 2.1.0 notes.md notes.de.md'],
  change: async ({ service, args: { files, ...args } }, dryRun) => {
    const { joinNotes, parseTranslationName } = await import('../../features/releases/index.ts')
    const notes = joinNotes(await Promise.all(files.map(async (file) => ({ file, text: await readText(file) }))))!
    const lang = files.length === 1 ? parseTranslationName(files[0]!).lang : undefined
    const change = await service.apply('release notes', { ...args, notes, lang }, dryRun)
    return [`Changed the notes of ${args.application} ${args.version}.`, { ...args, ...change }]
  },
})

export const releaseMinimum = defineChange({
  name: 'release minimum',
  summary: 'Makes an update mandatory for installations below a version.',
  arguments: [
    ...release,
    { name: 'minimum', help: 'A version. Without it, the update is not mandatory.', optional: true },
  ],
  examples: ['release minimum launcher 2.1.0 1.9.0', 'release minimum launcher 2.1.0'],
  change: async ({ service, args: { minimum, ...args } }, dryRun) => {
    const change = await service.apply('release minimum', { ...args, minimum }, dryRun)
    const state = minimum === undefined ? 'is no longer mandatory' : `is mandatory below ${minimum}`
    return [`The update to ${args.application} ${args.version} ${state}.`, { ...args, minimum, ...change }]
  },
})
