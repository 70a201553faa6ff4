import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compare, gt } from 'semver'
import { buildCatalogue, selectPublished } from '../../../src/features/releases/catalogue.ts'
import { findUpdates, isInRollout } from '../../../src/features/releases/offers.ts'
import { BASE, openTestReleases, record, releasesYaml, SHA256 } from '../../kit/releases.ts'

const client = 'someone'
const versions = (updates: readonly { version: string }[]) => updates.map(({ version }) => version)
const versionsOf = (updates: readonly { release: { version: string } }[]) =>
  versions(updates.map(({ release }) => release))
const launcher = (...records: string[]) => ({ 'releases.yaml': releasesYaml({ launcher: records }) })

test('releases are ordered by version, not by text or position in the file', async (t) => {
  const order = ['1.9.0', '1.10.0', '1.10.0-rc.1', '1.2.0', '1.10.0-rc.10', '1.10.0-rc.9']
  const { releases } = await openTestReleases(t, launcher(...order.map((version) => record(version, { beta: false }))))
  assert.deepEqual(versions(releases.updates(BASE, { client }).updates), [
    ...['1.10.0', '1.10.0-rc.10', '1.10.0-rc.9', '1.10.0-rc.1', '1.9.0', '1.2.0'],
  ])
})

test('current selects newer releases, and a client that is ahead is never offered a downgrade', async (t) => {
  const { releases } = await openTestReleases(t, launcher(record('1.9.0'), record('2.0.0'), record('2.1.0')))
  const check = (current: string) => {
    const { latest, updateAvailable, updates } = releases.updates(BASE, { client, current })
    return [latest, updateAvailable, ...versions(updates)]
  }
  assert.deepEqual(check('1.9.0'), ['2.1.0', true, '2.1.0', '2.0.0'])
  assert.deepEqual(check('v2.0.5'), ['2.1.0', true, '2.1.0'])
  assert.deepEqual(check('2.1.0'), ['2.1.0', false])
  assert.deepEqual(check('2.1.0+build.7'), ['2.1.0', false])
  assert.deepEqual(check('3.0.0'), ['3.0.0', false])
  assert.deepEqual(check('2.1.0-beta.1'), ['2.1.0', true, '2.1.0'])
})

test('an invalid version and an unknown channel are refused', async (t) => {
  const { releases } = await openTestReleases(t, launcher(record('1.0.0')))
  for (const current of ['', '1.', '1.2.3.4.5', '01.2.3', 'latest', '1.2.x', '>=1.0.0', '-1.0.0', '9'.repeat(4000)]) {
    assert.throws(() => releases.updates(BASE, { client, current }), { code: 'INVALID_VERSION', status: 400 }, current)
    assert.throws(() => releases.tauri(BASE, { client, current }), { code: 'INVALID_VERSION', status: 400 }, current)
  }
  for (const channel of ['nightly', '', 'Beta', 'constructor']) {
    assert.throws(
      () => releases.updates(BASE, { client, channel }),
      { code: 'INVALID_PARAMETER', status: 400 },
      channel,
    )
  }
})

test('the beta channel includes stable releases, the stable channel includes no beta', async (t) => {
  const { releases } = await openTestReleases(t, launcher(record('2.0.0-beta.1'), record('2.0.0'), record('1.0.0')))
  assert.deepEqual(versions(releases.updates(BASE, { client }).updates), ['2.0.0', '1.0.0'])
  assert.deepEqual(versions(releases.updates(BASE, { client, channel: 'beta' }).updates), [
    ...['2.0.0', '2.0.0-beta.1', '1.0.0'],
  ])
  assert.equal(releases.version(BASE, 'launcher', { client, channel: 'beta' }).version, '2.0.0')
})

test('a withdrawn release is not offered and cannot be downloaded', async (t) => {
  const { releases } = await openTestReleases(t, launcher(record('1.0.0'), record('1.1.0', { withdrawn: true })))
  assert.equal(releases.updates(BASE, { client }).latest, '1.0.0')
  assert.equal(releases.resolveDownload('launcher', { client }).version, '1.0.0')
  assert.throws(() => releases.resolveDownload('launcher', { client, version: '1.1.0' }), { code: 'NOT_PUBLISHED' })
  assert.throws(() => releases.resolveDownload('launcher', { client, version: 'latest' }), { code: 'INVALID_VERSION' })
})

test('a rollout of 25 % reaches about a quarter of the clients', () => {
  const reached = Array.from({ length: 4000 }, (_, n) => isInRollout(`client-${n}`, 'launcher', '2.0.0', 25))
  const share = reached.filter(Boolean).length / 40
  assert.ok(share > 22 && share < 28, `${share} %`)
})

test('a client can download a named version before it is rolled out to it', async (t) => {
  const { releases } = await openTestReleases(t, launcher(record('1.0.0'), record('1.1.0', { rollout: 1 })))
  const later = Array.from({ length: 50 }, (_, n) => `client-${n}`).find(
    (name) => releases.updates(BASE, { client: name }).latest === '1.0.0',
  )
  assert.ok(later)
  assert.equal(releases.resolveDownload('launcher', { client: later, version: '1.1.0' }).version, '1.1.0')
})

const aVersion = fc
  .tuple(fc.nat(3), fc.nat(3), fc.nat(12), fc.option(fc.nat(3)))
  .map(([major, minor, patch, beta]) => `${major}.${minor}.${patch}${beta === null ? '' : `-beta.${beta}`}`)
const aRecord = fc.record({
  version: aVersion,
  date: fc.constantFrom('2025-01-01', '2030-01-01'),
  url: fc.constant('https://cdn.example/a'),
  bytes: fc.constant(1),
  sha256: fc.constant(SHA256),
  rollout: fc.integer({ min: 1, max: 100 }),
  withdrawn: fc.boolean(),
})
const aHistory = fc.uniqueArray(aRecord, { selector: ({ version }) => version, maxLength: 25 })

const publishedIn = (history: object[]) => {
  const content = { releases: { launcher: history as never }, resources: {}, tiers: {}, news: [] }
  return selectPublished(buildCatalogue(content), Date.parse('2026-06-01'))
}

test('a client is only offered releases that are due, newer, on its channel and rolled out to it', () => {
  const channel = fc.constantFrom('stable' as const, 'beta' as const)
  fc.assert(
    fc.property(aHistory, fc.string(), channel, aVersion, (history, client, channel, current) => {
      const published = publishedIn(history)
      const { updates, latest, updateAvailable } = findUpdates(published, { client, channel, current })
      const expected = history
        .filter(({ version, date, withdrawn, rollout }) => {
          const isOpen = !withdrawn && date < '2026' && isInRollout(client, 'launcher', version, rollout)
          return isOpen && gt(version, current) && (channel === 'beta' || !version.includes('beta'))
        })
        .map(({ version }) => version)
        .sort((a, b) => compare(b, a))
      assert.deepEqual(versionsOf(updates), expected)
      assert.equal(updateAvailable, expected.length > 0)
      assert.ok(latest === null || compare(latest, current) >= 0)
      if (expected.length > 0) assert.equal(latest, expected[0])
    }),
  )
})

test('a higher rollout percentage never removes a release from a client', () => {
  fc.assert(
    fc.property(aHistory, fc.string(), fc.integer({ min: 0, max: 99 }), (history, client, more) => {
      const findVersions = (list: object[]) =>
        versionsOf(findUpdates(publishedIn(list), { client, channel: 'beta' }).updates)
      const grown = history.map((entry) => ({ ...entry, rollout: Math.min(100, entry.rollout + more) }))
      const before = findVersions(history)
      assert.deepEqual(findVersions(history), before)
      assert.deepEqual(
        before.filter((version) => !findVersions(grown).includes(version)),
        [],
      )
    }),
  )
})
