import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { OperatorError } from '../../../src/errors/index.ts'
import {
  getRollout,
  listReleases,
  pauseRamp,
  rampRelease,
  reportFailures,
  restoreVersion,
  resumeRamp,
  rollOutRelease,
  supersedeRelease,
  withdrawVersion,
} from '../../../src/features/releases/index.ts'
import { hasTooManyFailures } from '../../../src/features/releases/ramp.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { BASE, openTestReleases, record, releasesYaml, writeFiles } from '../../kit/releases.ts'
import { until } from '../../kit/until.ts'

const HOUR_MS = 3_600_000
const START = Date.parse('2026-12-01T10:00:00Z')
const at = (hours: number) => START + hours * HOUR_MS
const iso = (time: number) => new Date(time).toISOString()
const ramp = { steps: [10, 50, 100], every: '24h', start: iso(START) }
const launcher = (...records: string[]) => ({ 'releases.yaml': releasesYaml({ launcher: records }) })
const application = 'launcher'

test('the percentage depends only on the record and the time', () => {
  const percentages = (fields: object, ...hours: number[]) =>
    hours.map((hour) => getRollout({ rollout: 100, ramp: { ...ramp, ...fields } }, at(hour)))
  assert.deepEqual(percentages({}, -1, 0, 23.9, 24, 47.9, 48, 10_000), [10, 10, 10, 50, 50, 100, 100])
  assert.deepEqual(percentages({ every: '30m' }, 0.4, 0.5, 1), [10, 50, 100])
  assert.deepEqual(percentages({ pausedAt: iso(at(30)) }, 24, 31, 10_000), [50, 50, 50])
  assert.deepEqual(percentages({ pausedAt: iso(at(-1)) }, 0, 10_000), [10, 10], 'paused before the start')
})

test('a ramp advances by itself, also after a restart, and follows a clock that jumps', async (t) => {
  let now = at(1)
  const files = launcher(record('1.0.0'), record('2.0.0', { ramp }))
  const { dir, releases } = await openTestReleases(t, files, () => now)
  const clients = Array.from({ length: 200 }, (_, index) => `installation-${index}`)
  const listOffered = () => clients.filter((client) => releases.updates(BASE, { client }).latest === '2.0.0')
  const atFirst = listOffered()
  assert.ok(atFirst.length > 5 && atFirst.length < 40, `${atFirst.length} of 200 are about 10 %`)
  const moveClock = async (hours: number) => {
    const revision = releases.revision()
    now = at(hours)
    await until(() => releases.revision() > revision)
  }
  await moveClock(24)
  const second = listOffered()
  assert.ok(second.length > 70 && second.length < 130, `${second.length} of 200 are about 50 %`)
  assert.ok(
    atFirst.every((client) => second.includes(client)),
    'nobody loses the update',
  )
  await moveClock(48)
  assert.deepEqual([listOffered().length, releases.isStaged(application)], [200, false])
  await moveClock(25)
  assert.deepEqual(listOffered(), second, 'a clock that was ahead')
  assert.equal(releases.updates(BASE, { client: clients[0]!, current: '2.0.0' }).latest, '2.0.0', 'no downgrade')
  await moveClock(-1000)
  assert.deepEqual(listOffered(), atFirst, 'a clock that is behind the start')
  assert.ok((await readFile(join(dir, 'releases.yaml'), 'utf8')).includes('ramp'), 'the file is not changed')
})

test('a rollout of 0 is offered only to manual checks, and can be downloaded', async (t) => {
  const { releases } = await openTestReleases(t, launcher(record('1.0.0'), record('2.0.0', { rollout: 0 })))
  for (let index = 0; index < 50; index++) {
    const client = `installation-${index}`
    assert.equal(releases.updates(BASE, { client }).latest, '1.0.0')
    assert.equal(releases.updates(BASE, { client, manual: true }).latest, '2.0.0')
  }
  assert.equal(releases.resolveDownload(application, { client: 'a', version: '2.0.0' }).version, '2.0.0')
})

async function folderWith(t: TestContext, ...records: string[]) {
  const dir = await temporaryFolder(t)
  await writeFiles(dir, launcher(...records))
  const options = { dir, application, version: '2.0.0' } as const
  const readNewest = async () => (await listReleases(dir)).find(({ version }) => version === options.version)!
  const text = () => readFile(join(dir, 'releases.yaml'), 'utf8')
  return { dir, options, readNewest, text }
}

const refuse = async (work: Promise<unknown>, message: RegExp) =>
  assert.rejects(work, (error) => {
    assert.ok(error instanceof OperatorError, String(error))
    assert.match(error.message, message)
    return true
  })

test('a ramp is paused at its percentage and continues with the time that was left', async (t) => {
  const { dir, options, readNewest, text } = await folderWith(t, record('2.0.0', { rollout: 5 }))
  await rampRelease({ ...options, ramp: { steps: [10, 50, 100], every: '24h' } })
  const started = await readNewest()
  assert.deepEqual([started.rollout, started.state, started.ramp?.nextStep?.percent], [10, 'rolling out', 50])
  assert.equal((await pauseRamp(options)).rollout, 10)
  await refuse(pauseRamp(options), /^The ramp of launcher 2\.0\.0 is already paused\.$/)
  assert.deepEqual([(await readNewest()).state, (await readNewest()).ramp?.nextStep], ['paused', undefined])

  // As if it had been started 40 hours ago, and paused ten hours ago.
  const [start, pausedAt] = [iso(Date.now() - 40 * HOUR_MS), iso(Date.now() - 10 * HOUR_MS)]
  const before = await text()
  await writeFile(
    join(dir, 'releases.yaml'),
    before.replace(/start: [\w:.-]+/, `start: ${start}`).replace(/pausedAt: [\w:.-]+/, `pausedAt: ${pausedAt}`),
  )
  assert.equal((await resumeRamp(options)).rollout, 50)
  const { ramp, rollout } = await readNewest()
  const hoursLeft = (Date.parse(ramp!.nextStep!.date) - Date.now()) / HOUR_MS
  assert.ok(rollout === 50 && hoursLeft > 17 && hoursLeft <= 18, `${rollout} %, ${hoursLeft} hours`)
  await refuse(resumeRamp(options), /is not paused\.$/)

  await writeFile(join(dir, 'releases.yaml'), (await text()).replace(/start: [\w:.-]+/, `start: ${iso(START - 1e10)}`))
  await refuse(pauseRamp(options), /is complete\.$/)
  assert.equal((await rollOutRelease({ ...options, rollout: 20 })).isRampEnded, true)
  assert.deepEqual([(await readNewest()).rollout, (await readNewest()).ramp], [20, undefined])
  await refuse(resumeRamp(options), /has no ramp; "release rollout" sets its percentage\.$/)
})

test('a pause that begins in the future does not shorten a ramp', async (t) => {
  const pausedAt = iso(Date.now() + 100 * HOUR_MS)
  const start = iso(Date.now() - 5 * HOUR_MS)
  const { options, readNewest } = await folderWith(t, record('2.0.0', { ramp: { ...ramp, start, pausedAt } }))
  await resumeRamp(options)
  assert.equal((await readNewest()).ramp?.start, start)
})

test('too many reported failures pause the ramp and are a problem of the service', async (t) => {
  const start = iso(Date.now() - HOUR_MS)
  const files = launcher(record('2.0.0', { ramp: { ...ramp, start, maxFailures: 5 } }))
  const { dir, releases } = await openTestReleases(t, files)
  const options = { dir, application, version: '2.0.0' } as const
  assert.deepEqual(pick(await reportFailures({ ...options, failed: 15, total: 300 })), [false, false, 10])
  assert.equal(hasTooManyFailures({ failures: { failed: 7, total: 100 }, maxFailures: 7 }), false)
  assert.deepEqual(pick(await reportFailures({ ...options, failed: 16, total: 300 })), [true, true, 10])
  assert.equal((await listReleases(dir))[0]?.ramp?.state, 'stopped')
  await until(() => releases.problems().length === 1)
  assert.equal(
    releases.problems()[0]?.message,
    'The ramp of launcher 2.0.0 is paused at 10 %: 16 of 300 installations failed, more than 5 %; ' +
      'withdraw the release, or resume its ramp',
  )
  await resumeRamp(options)
  await until(() => releases.problems().length === 0)
  await pauseRamp(options)
  await releases.reload()
  assert.deepEqual(releases.problems(), [], 'a pause after the ramp was resumed is not caused by failures')
  for (const [failed, total] of [
    [2, 1],
    [-1, 5],
    [0, 0],
    [0.5, 3],
    [Number.NaN, 1],
  ] as const) {
    await refuse(reportFailures({ ...options, failed, total }), /^The failures must be two whole numbers/)
  }
})

const pick = ({ isPaused, isTooMany, rollout }: Awaited<ReturnType<typeof reportFailures>>) => [
  isPaused,
  isTooMany,
  rollout,
]

test('an invalid ramp is refused and changes nothing', async (t) => {
  const { options, text } = await folderWith(t, record('1.0.0'), record('2.0.0', { rollout: 20 }))
  const before = await text()
  const steps = /^The steps of a ramp must be ascending whole numbers from 1 to 100/
  const interval = /^The interval of a ramp must be from 1m to 30d/
  const invalid: [steps: number[], every: string, message: RegExp][] = [
    [[50, 10], '24h', steps],
    [[50, 50, 100], '24h', steps],
    [[0, 50], '24h', steps],
    [[50, 101], '24h', steps],
    [[50.5], '24h', steps],
    [[Number.NaN], '24h', steps],
    [[], '24h', steps],
    [Array.from({ length: 1000 }, (_, index) => index + 1), '24h', steps],
    ...['0', '0h', '24', '365d', '31d', '1y', '-1h', '99999h', '1.5h', '', '24 h'].map(
      (every) => [[50, 100], every, interval] as [number[], string, RegExp],
    ),
    [[10, 50], '24h', /is already offered to 20 % of installations, so a ramp cannot start at 10 %/],
  ]
  for (const [steps, every, message] of invalid) {
    await refuse(rampRelease({ ...options, ramp: { steps, every } }), message)
  }
  for (const maxFailures of [-1, 101, Number.NaN]) {
    const work = rampRelease({ ...options, ramp: { steps: [50], every: '24h', maxFailures } })
    await refuse(work, /^The share of failures must be a percentage/)
  }
  await refuse(rollOutRelease({ ...options, rollout: -1 }), /^The rollout must be a whole number from 0 to 100\.$/)
  await refuse(restoreVersion(options), /^launcher 2\.0\.0 is not withdrawn\.$/)
  await refuse(pauseRamp({ ...options, version: '9.0.0' }), /^There is no release launcher 9\.0\.0\.$/)
  assert.equal(await text(), before)
})

test('an invalid ramp in the file is reported with its line, and what was served stays', async (t) => {
  const { dir, releases } = await openTestReleases(t, launcher(record('1.0.0')))
  const invalid: [fields: object, message: RegExp][] = [
    [{ ramp: { ...ramp, steps: [50, 10] } }, /must be ascending whole numbers/],
    [{ ramp: { ...ramp, every: '0h' } }, /must be from 1m to 30d/],
    [{ ramp, rollout: 50 }, /has "ramp", so it must not have "rollout"/],
    [{ ramp: { ...ramp, speed: 1 } }, /speed/],
  ]
  for (const [fields, message] of invalid) {
    await writeFiles(dir, launcher(record('1.0.0'), record('2.0.0', fields)))
    await until(() => releases.problems().some((problem) => message.test(problem.message)))
    assert.equal(releases.problems()[0]?.line, 3)
    assert.equal(releases.updates(BASE, { client: 'a' }).latest, '1.0.0')
  }
})

test('a withdrawn release cannot be rolled out; a restored one has its ramp paused', async (t) => {
  const running = { ...ramp, start: iso(Date.now() - HOUR_MS) }
  const { options, readNewest } = await folderWith(t, record('1.0.0'), record('2.0.0', { ramp: running }))
  await withdrawVersion(options)
  const rule = /^launcher 2\.0\.0 is withdrawn; restore it first\.$/
  await refuse(rollOutRelease({ ...options, rollout: 50 }), rule)
  await refuse(rampRelease({ ...options, ramp: { steps: [50], every: '1h' } }), rule)
  await refuse(pauseRamp(options), rule)
  assert.equal((await restoreVersion(options)).isRampPaused, true)
  const { state, rollout } = await readNewest()
  assert.deepEqual([state, rollout], ['paused', 10])
})

test('a withdrawn release is superseded by the files of the newest older one', async (t) => {
  const { options, text, dir } = await folderWith(
    t,
    record('1.0.0', { notes: 'old' }),
    record('1.5.0', { withdrawn: true }),
    record('1.9.0', { beta: true }),
    record('2.0.0'),
    record('3.0.0-beta.1'),
  )
  await refuse(supersedeRelease({ ...options, newVersion: '2.0.1' }), /is not withdrawn; withdraw it first\.$/)
  const older = supersedeRelease({ ...options, version: '1.5.0', newVersion: '4.0.0' })
  await refuse(older, /^launcher 1\.5\.0 needs no replacement: 2\.0\.0 is newer\.$/)
  await withdrawVersion(options)
  const before = await text()
  await refuse(supersedeRelease({ ...options, newVersion: 'next' }), /^The new version must be one to four numbers/)
  await refuse(
    supersedeRelease({ ...options, newVersion: '1.9.9' }),
    /^The new version 1\.9\.9 must be above 2\.0\.0\.$/,
  )
  await supersedeRelease({ ...options, newVersion: '2.0.1', dryRun: true })
  assert.equal(await text(), before)
  assert.equal((await supersedeRelease({ ...options, newVersion: '2.0.1' })).source, '1.0.0')
  const [, newest] = await listReleases(dir)
  assert.deepEqual(
    [newest?.version, newest?.beta, newest?.notes, newest?.assets[0]?.name],
    ['2.0.1', false, 'old', '1.0.0.exe'],
  )
  const again = supersedeRelease({ ...options, newVersion: '2.0.2' })
  await refuse(again, /^launcher 2\.0\.0 needs no replacement: 2\.0\.1 is newer\.$/)
})

test('a withdrawn release can be superseded although a newer one is scheduled', async (t) => {
  const { options, dir } = await folderWith(
    t,
    record('1.0.0'),
    record('2.0.0', { withdrawn: true }),
    record('3.0.0', { date: new Date(Date.now() + 86_400_000).toISOString() }),
  )
  await refuse(supersedeRelease({ ...options, newVersion: '3.0.0' }), /3\.0\.0/)
  assert.equal((await supersedeRelease({ ...options, newVersion: '2.0.1-fix' })).source, '1.0.0')
  const versions = (await listReleases(dir)).map(({ version, state, beta }) => `${version} ${beta ? 'beta' : state}`)
  assert.deepEqual(versions, ['3.0.0 scheduled', '2.0.1-fix public', '2.0.0 withdrawn', '1.0.0 public'])
})

test('without an older release nothing can supersede a withdrawn one', async (t) => {
  const { options } = await folderWith(t, record('2.0.0', { withdrawn: true }))
  const message = /^launcher 2\.0\.0 has no older public release whose files could replace it\.$/
  await refuse(supersedeRelease({ ...options, newVersion: '2.0.1' }), message)
})
