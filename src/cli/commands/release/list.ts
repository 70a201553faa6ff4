import type { ReleaseState } from '../../../features/releases/index.ts'
import { defineCommand } from '../../command.ts'
import { withReleases } from '../../open.ts'
import { moment, table } from '../../text.ts'
import { application } from './arguments.ts'

const colours = { public: 'green', 'rolling out': 'cyan', scheduled: 'yellow', withdrawn: 'red' } as const

export const releaseList = defineCommand({
  name: 'release list',
  summary: 'Lists the releases, newest first, also those that are scheduled or withdrawn.',
  settings: ['CONTENT_DIR'],
  arguments: [{ ...application, optional: true }],
  examples: ['release list', 'release list launcher --json'],
  run: ({ config, args }) =>
    withReleases(config, async ({ listReleases, sizeForPeople }, dir) => {
      const all = await listReleases(dir)
      const releases = all.filter((release) => !args.application || release.application === args.application)
      const rows = releases.map(({ application, version, beta, state, rollout, date, bytes, source }) => [
        ...[application, version, beta ? 'beta' : 'stable', state, `${rollout} %`, moment(date), sizeForPeople(bytes)],
        source.file ?? source.url,
      ])
      const headings = ['application', 'version', 'channel', 'state', 'rollout', 'date', 'size', 'file or URL']
      const text =
        rows.length > 0 ? table(headings, rows, (cell) => colours[cell as ReleaseState]) : 'Nothing is published yet.'
      return { text, value: { releases } }
    }),
})
