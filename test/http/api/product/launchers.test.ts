// What launchers do after each action of the operator: every cell of the table in the guide to updates.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { coerce, gt } from 'semver'
import {
  restoreVersion,
  rollOutRelease,
  supersedeRelease,
  withdrawVersion,
} from '../../../../src/features/releases/index.ts'
import { startApp } from '../../../kit/app.ts'
import { record, releasesYaml } from '../../../kit/releases.ts'
import { ROOT } from '../../../kit/root.ts'
import { forSuite } from '../../../kit/scope.ts'
import { until } from '../../../kit/until.ts'

/** Simulated launchers, by the column of the table: whether they install `latest`. */
const launchers: Record<string, (latest: string, installed: string) => boolean> = {
  text: (latest, installed) => latest !== installed,
  'text, without `current`': (latest, installed) => latest !== installed,
  'four numbers': (latest, installed) => {
    const [a, b] = [latest, installed].map((version) => version.replace(/-.*/, '').split('.').map(Number))
    const index = [0, 1, 2, 3].find((index) => a![index] !== b![index])
    return index !== undefined && a![index]! > b![index]!
  },
  semver: (latest, installed) => gt(coerce(latest)!, coerce(installed)!),
}

interface Row {
  readonly action: string
  readonly installed: string
  /** By the names of the launchers. */
  readonly expected: Readonly<Record<string, string>>
}

function readTable(): Row[] {
  const guide = readFileSync(join(ROOT, 'src/http/pages/guides/texts/updates.md'), 'utf8')
  const lines = guide
    .split('\n## ')[1]!
    .split('\n')
    .filter((line) => line.startsWith('| '))
  const [[, , ...names] = [], ...rows] = lines.map((line) => line.slice(2, -2).split(' | '))
  assert.deepEqual(names, Object.keys(launchers))
  return rows.map(([action = '', installed = '', ...cells]) => ({
    action,
    installed,
    expected: Object.fromEntries(names.map((name, index) => [name, cells[index]!])),
  }))
}

const rows = readTable()
const open = forSuite((t) => startApp(t, { 'releases.yaml': releasesYaml({ launcher: [record('8.7.3.0')] }) }))

const publish = (...records: string[]) =>
  writeFile(join(open().appDir, 'releases.yaml'), releasesYaml({ launcher: [record('8.7.3.0'), ...records] }))
const target = () => ({ dir: open().appDir, application: 'launcher', version: '8.7.4.0' }) as const

/** The action of the operator, and what a new installation is offered afterwards. */
const actions: Record<string, { readonly latest: string; readonly run: () => Promise<unknown> }> = {
  nothing: { latest: '8.7.3.0', run: () => publish() },
  'publishes 8.7.4.0': { latest: '8.7.4.0', run: () => publish(record('8.7.4.0')) },
  'publishes 8.7.3.1': { latest: '8.7.3.1', run: () => publish(record('8.7.3.1')) },
  'publishes 8.7.10.0': { latest: '8.7.10.0', run: () => publish(record('8.7.10.0')) },
  'publishes 8.7.4.0-beta.1': { latest: '8.7.3.0', run: () => publish(record('8.7.4.0-beta.1')) },
  'sets the rollout of 8.7.4.0 to 0': {
    latest: '8.7.3.0',
    run: async () => {
      await publish(record('8.7.4.0'))
      await until(async () => (await fetchUpdates()).latest === '8.7.4.0')
      await rollOutRelease({ ...target(), rollout: 0 })
    },
  },
  'sets the rollout of 8.7.4.0 to 100': { latest: '8.7.4.0', run: () => rollOutRelease({ ...target(), rollout: 100 }) },
  'withdraws 8.7.4.0': { latest: '8.7.3.0', run: () => withdrawVersion(target()) },
  'restores 8.7.4.0': { latest: '8.7.4.0', run: () => restoreVersion(target()) },
  'supersedes 8.7.4.0 with 8.7.5.0': {
    latest: '8.7.5.0',
    run: async () => {
      await withdrawVersion(target())
      await supersedeRelease({ ...target(), newVersion: '8.7.5.0' })
    },
  },
}

interface Updates {
  readonly latest: string
  readonly updateAvailable?: boolean
  readonly updates: readonly { readonly version: string }[]
}

const fetchUpdates = async (query = '') => (await (await open().fetch(`/launcher/updates${query}`)).json()) as Updates

describe('each launcher does what the guide says if the operator', () => {
  const names = [...new Set(rows.map(({ action }) => action))]
  assert.deepEqual(names, Object.keys(actions))
  for (const name of names) {
    test(name, async () => {
      const { latest, run } = actions[name]!
      await run()
      await until(async () => (await fetchUpdates()).latest === latest)
      for (const { installed, expected } of rows.filter(({ action }) => action === name)) {
        for (const [launcher, installs] of Object.entries(launchers)) {
          const reply = await fetchUpdates(launcher.includes('without') ? '' : `?current=${installed}`)
          const next = installs(reply.latest, installed) ? reply.latest : installed
          assert.equal(next, expected[launcher], `${launcher}, installed: ${installed}`)
        }
        const { updateAvailable, updates } = await fetchUpdates(`?current=${installed}`)
        const next = updateAvailable ? updates[0]!.version : installed
        assert.equal(next, expected['four numbers'], `updateAvailable, installed: ${installed}`)
      }
    })
  }
})

test('latest is the text that the launcher sent, if it is the newest version written in another way', async () => {
  await publish(record('8.7.4'))
  await until(async () => (await fetchUpdates()).latest === '8.7.4')
  for (const current of ['8.7.4', '8.7.4.0']) {
    const { latest, updateAvailable } = await fetchUpdates(`?current=${current}`)
    assert.deepEqual([latest, updateAvailable], [current, false])
  }
})
