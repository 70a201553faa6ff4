// Commands that decide who is offered a published release.
import { defineCommand } from '../command.ts'
import { formatCommand } from '../help.ts'
import {
  application,
  dryRunOption,
  formatChange,
  newVersion,
  parseRamp,
  publishedVersion,
  rampOptions,
  readText,
  settings,
} from '../publish-options.ts'

const release = [application, publishedVersion] as const

export const releaseRollout = defineCommand({
  name: 'release rollout',
  summary: 'Offers a release to a percentage of installations. Ends its ramp.',
  actsOn: 'service',
  settings,
  arguments: [
    ...release,
    {
      name: 'percent',
      help: 'Percentage of installations, 0 to 100. 0: only users who ask for updates themselves (manual=true) are offered the release.',
    },
  ],
  options: dryRunOption,
  examples: ['release rollout launcher 2.1.0 50', 'release rollout launcher 2.1.0 0'],
  run: async ({ service, args: { application, version, percent }, options: { 'dry-run': dryRun } }) => {
    const rollout = /^\d{1,3}$/.test(percent) ? Number(percent) : Number.NaN
    const input = { application, version, rollout }
    const { isRampEnded, ...change } = await service.apply('release rollout', input, dryRun)
    const end = isRampEnded ? ' Its ramp has ended.' : ''
    const message = `${application} ${version} is now offered to ${rollout} % of installations.${end}`
    return formatChange(message, { application, version, rollout, ...change }, dryRun)
  },
})

export const releaseRamp = defineCommand({
  name: 'release ramp',
  summary: 'Raises the rollout of a release step by step.',
  actsOn: 'service',
  settings,
  arguments: [...release, { name: 'steps', help: 'Percentages of installations, ascending, such as 10,50,100.' }],
  options: { ...rampOptions, ...dryRunOption },
  examples: [
    'release ramp launcher 2.1.0 10,50,100 --every 24h',
    'release ramp launcher 2.1.0 1,10,100 --every 12h --max-failures 5',
  ],
  run: async ({ service, args: { application, version, steps }, options: { 'dry-run': dryRun, ...options } }) => {
    const ramp = parseRamp(steps, options)
    const change = await service.apply('release ramp', { application, version, ...ramp }, dryRun)
    const list = ramp.steps.map((step) => `${step} %`).join(', ')
    const message = `${application} ${version} is offered to ${list} of installations, one step every ${ramp.every}.`
    return formatChange(message, { application, version, ramp, ...change }, dryRun)
  },
})

export const releasePause = defineCommand({
  name: 'release pause',
  summary: 'Stops a ramp at its current percentage. Installations that were offered the release are still offered it.',
  actsOn: 'service',
  settings,
  arguments: release,
  options: dryRunOption,
  examples: ['release pause launcher 2.1.0'],
  run: async ({ service, args, options: { 'dry-run': dryRun } }) => {
    const change = await service.apply('release pause', args, dryRun)
    const message = `The ramp of ${args.application} ${args.version} is paused at ${change.rollout} %.`
    return formatChange(message, { ...args, ...change }, dryRun)
  },
})

export const releaseResume = defineCommand({
  name: 'release resume',
  summary: 'Continues a paused ramp. The next step follows after the time that was left.',
  actsOn: 'service',
  settings,
  arguments: release,
  options: dryRunOption,
  examples: ['release resume launcher 2.1.0'],
  run: async ({ service, args, options: { 'dry-run': dryRun } }) => {
    const change = await service.apply('release resume', args, dryRun)
    const message = `The ramp of ${args.application} ${args.version} continues from ${change.rollout} %.`
    return formatChange(message, { ...args, ...change }, dryRun)
  },
})

const parseCount = (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : Number.NaN)

export const releaseReportFailures = defineCommand({
  name: 'release report-failures',
  summary:
    'Reports how many installations of a release failed. Pauses its ramp if the percentage is higher than its --max-failures.',
  actsOn: 'service',
  settings,
  arguments: [
    ...release,
    { name: 'failed', help: 'Number of installations that failed.' },
    { name: 'total', help: 'Number of installations that tried the release, including those that failed.' },
  ],
  options: dryRunOption,
  examples: ['release report-failures launcher 2.1.0 12 300'],
  run: async ({ service, args: { failed, total, ...args }, options: { 'dry-run': dryRun } }) => {
    const counts = { failed: parseCount(failed), total: parseCount(total) }
    const input = { ...args, ...counts }
    const { isTooMany, ...change } = await service.apply('release report-failures', input, dryRun)
    const ramp = `its ramp ${change.isPaused ? 'is paused' : 'continues'} at ${change.rollout} %`
    const message = `${failed} of ${total} installations of ${args.application} ${args.version} failed; ${ramp}.`
    return formatChange(message, { ...args, ...counts, ...change }, dryRun)
  },
})

export const releaseWithdraw = defineCommand({
  name: 'release withdraw',
  summary:
    'Stops offering a release. Removes it from updates and downloads, and pauses its ramp. Its version cannot be reused.',
  actsOn: 'service',
  settings,
  arguments: release,
  options: dryRunOption,
  examples: ['release withdraw launcher 2.1.0'],
  run: async ({ service, args, options: { 'dry-run': dryRun } }) => {
    const change = await service.apply('release withdraw', args, dryRun)
    return formatChange(`Withdrew ${args.application} ${args.version}.`, { ...args, ...change }, dryRun)
  },
})

export const releaseRestore = defineCommand({
  name: 'release restore',
  summary:
    'Offers a withdrawn release again. The percentage of installations stays the same. "release resume" continues its ramp.',
  actsOn: 'service',
  settings,
  arguments: release,
  options: dryRunOption,
  examples: ['release restore launcher 2.1.0'],
  run: async ({ service, args, options: { 'dry-run': dryRun } }) => {
    const change = await service.apply('release restore', args, dryRun)
    const resume = formatCommand(`release resume ${args.application} ${args.version}`)
    const ramp = change.isRampPaused ? ` Its ramp is paused; "${resume}" continues it.` : ''
    return formatChange(`Restored ${args.application} ${args.version}.${ramp}`, { ...args, ...change }, dryRun)
  },
})

export const releaseSupersede = defineCommand({
  name: 'release supersede',
  summary:
    'Replaces a withdrawn release with an older one. Publishes the files of the release before it under a new, higher ' +
    'version.',
  actsOn: 'service',
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
  run: async ({
    service,
    args: { 'new-version': newVersion, ...args },
    options: { notes: file, 'dry-run': dryRun },
  }) => {
    const input = { ...args, newVersion, notes: file === undefined ? undefined : await readText(file) }
    const change = await service.apply('release supersede', input, dryRun)
    const { application, version } = args
    const message = `Published ${application} ${newVersion} with the files of ${change.source}; it replaces ${version}.`
    return formatChange(message, { application, withdrawn: version, ...change }, dryRun)
  },
})

export const releaseNotes = defineCommand({
  name: 'release notes',
  summary: 'Replaces the notes of a published release.',
  actsOn: 'service',
  settings,
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
  options: dryRunOption,
  examples: ['release notes launcher 2.1.0 notes.md notes.de.md'],
  run: async ({ service, args: { files, ...args }, options: { 'dry-run': dryRun } }) => {
    const { joinNotes, parseTranslationName } = await import('../../features/releases/index.ts')
    const notes = joinNotes(await Promise.all(files.map(async (file) => ({ file, text: await readText(file) }))))!
    const lang = files.length === 1 ? parseTranslationName(files[0]!).lang : undefined
    const change = await service.apply('release notes', { ...args, notes, lang }, dryRun)
    return formatChange(`Changed the notes of ${args.application} ${args.version}.`, { ...args, ...change }, dryRun)
  },
})

export const releaseMinimum = defineCommand({
  name: 'release minimum',
  summary: 'Makes an update mandatory below a version.',
  actsOn: 'service',
  settings,
  arguments: [...release, { name: 'minimum', help: 'A version. Without it, no update is mandatory.', optional: true }],
  options: dryRunOption,
  examples: ['release minimum launcher 2.1.0 1.9.0', 'release minimum launcher 2.1.0'],
  run: async ({ service, args: { minimum, ...args }, options: { 'dry-run': dryRun } }) => {
    const change = await service.apply('release minimum', { ...args, minimum }, dryRun)
    const who = minimum === undefined ? 'is no longer mandatory' : `is mandatory below ${minimum}`
    return formatChange(
      `The update to ${args.application} ${args.version} ${who}.`,
      { ...args, minimum, ...change },
      dryRun,
    )
  },
})
