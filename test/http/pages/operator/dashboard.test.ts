import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, afterEach, describe, it, test } from 'node:test'
import type { Page } from 'playwright-core'
import { APP } from '../../../kit/app.ts'
import { skipWithoutBrowser } from '../../../kit/browser.ts'
import { news, record, releasesYaml } from '../../../kit/releases.ts'
import { forSuite } from '../../../kit/scope.ts'
import { startTestService } from '../../../kit/service.ts'
import { until } from '../../../kit/until.ts'
import {
  assertAccessible,
  assertClean,
  assertFitsEverywhere,
  assertStylesAccessible,
  desktop,
  FAILED_REQUEST_MESSAGE,
  phone,
  startVisit,
} from '../visit.ts'
import { part, requestKey, signedIn, visitOperator } from './sign-in.ts'

const IMG = '<img src=x onerror=alert(1)>'
const files = {
  'releases.yaml': releasesYaml({
    launcher: [record('1.0.0'), record('2.0.0', { rollout: 25 }), record('0.9.0', { withdrawn: true })],
    reshade: [record('5.0.0-beta.1', { beta: true })],
  }),
  'news/one.md': news(`${IMG} أخبار`),
}
const skip = skipWithoutBrowser
/** The number of paths that the dashboard polls. */
const FEEDS = 7
/** How many seconds the rate of the requests is a mean of. */
async function readMeasuredSeconds(page: Page): Promise<number> {
  const tile = await page.locator('.tiles > div', { hasText: 'Requests per second' }).innerText()
  const [, rate, requests] = /second\s+([\d.,]+)\s+([\d,]+) in this range/.exec(tile) ?? []
  return Number(requests?.replaceAll(',', '')) / Number(rate?.replaceAll(',', ''))
}

const chart = (page: Page, name: string) => page.locator(`[data-chart="${name}"]`)
/** For screen readers. */
const describeChart = async (page: Page, name: string) =>
  (await chart(page, name).locator('svg').getAttribute('aria-label')) ?? ''

async function saveFile(page: Page, button: string) {
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: button }).click()
  const saved = await saving
  const text = await readFile((await saved.path()) ?? '', 'utf8')
  return { name: saved.suggestedFilename(), url: saved.url(), text }
}

describe('the dashboard', { skip }, () => {
  const visit = forSuite((scope) => visitOperator(scope, files))
  after(() => assertClean(visit(), FAILED_REQUEST_MESSAGE))
  afterEach(() => visit().closePages())

  it('draws the traffic of the service while it happens, and shows it in tables, too', async () => {
    const page = await signedIn(visit())
    const picture = encodeURIComponent(`${visit().url}/media/animals/cat/~1.png`)
    for (let n = 0; n < 6; n++) await visit().fetchPath('/api/v1/version')
    await visit().fetchPath(`/api/v2/filter/invert?image=${picture}`)
    await visit().fetchPath('/api/v2/random/animal/unicorn')
    await until(async () => /invert: last.*maximum [1-9]/.test(await describeChart(page, 'filters')))
    assert.ok(((await chart(page, 'requests').locator('.mark.colour-green').getAttribute('d')) ?? '').length > 10)
    assert.match(await describeChart(page, 'latency'), /p99: .*maximum [\d.]+ (?:µs|ms|s)/)
    await until(async () => /GET \/api\/v1\/version\s+6/.test(await part(page, 'endpoints').innerText()))
    await chart(page, 'requests').locator('summary').click()
    await chart(page, 'requests').getByRole('columnheader', { name: 'refused' }).waitFor()
    assert.ok((await chart(page, 'requests').locator('tbody tr').count()) > 0)
    await until(async () => /Filters per minute\s+[\d.]*[1-9]/.test(await page.locator('.tiles').innerText()))
    await page.locator('.choices label', { hasText: '1 hour' }).click()
    await until(async () => /invert: last.*maximum [1-9]/.test(await describeChart(page, 'filters')))
    // The service is younger than an hour, so the rate is a mean since its start. The figures are a few seconds old.
    await until(async () => {
      const { uptime } = (await visit().fetchJson('/api/v1/uptime')).body
      return Math.abs((await readMeasuredSeconds(page)) - uptime) < 15 + uptime / 10
    })
    const when = chart(page, 'requests').locator('.legend .when')
    assert.equal(await when.innerText(), 'now')
    await chart(page, 'requests').locator('svg').hover()
    await when.filter({ hasText: /\d\d:\d\d/ }).waitFor()
  })

  it('shows the same figures for days, from the history of the store, and saves it as CSV', async () => {
    const dead = encodeURIComponent(`${visit().url}/media/animals/cat/none.png`)
    await visit().fetchPath(`/api/v2/filter/invert?image=${dead}`)
    for (let n = 0; n < 3; n++) {
      await visit().fetchPath('/api/v2/random/animal/dog', { headers: { Referer: 'https://blog.example.org/x' } })
    }
    const page = await signedIn(visit())
    await page.locator('.choices label', { hasText: '400 days' }).click()
    await until(async () => /Busiest day\s+\w+ \d+/.test(await page.locator('.tiles').innerText()))
    assert.match(await page.locator('.tiles').innerText(), /Source failed\s.*Failed\s+0%\s.*Latency, p95\s+[\d.]+/s)
    assert.equal(await chart(page, 'requests').locator('[data-about]').innerText(), 'per day, by outcome')
    assert.match(await describeChart(page, 'requests'), /served: last [1-9].*; refused: last [1-9]/)
    assert.equal(await chart(page, 'memory').isVisible(), false)
    assert.match(await part(page, 'kinds').innerText(), /animals\/dog\s+3/)
    assert.match(await part(page, 'referrers').innerText(), /blog\.example\.org\s+3/)
    assert.match(await part(page, 'agents').innerText(), /Node\.js/)
    const saved = await saveFile(page, 'Download CSV of the usage history')
    assert.equal(saved.name, 'usage.csv')
    assert.match(saved.text, /,referrer,blog\.example\.org,3,3,0,0,0\r\n/)
    await page.locator('.choices label', { hasText: /^5 minutes/ }).click()
    await chart(page, 'memory').waitFor()
    await until(async () => /CPU\s+\d/.test(await page.locator('.tiles').innerText()))
  })

  it('lists the published files, and a problem with its file and line as soon as it occurs', async () => {
    const page = await signedIn(visit())
    // A busy machine blocks the event loop, which is reported for half a minute.
    await until(async () => (await page.locator('[data-verdict]').innerText()) === 'No problems', 60_000)
    const published = await part(page, 'content').innerText()
    assert.match(published, /launcher\s+2\.0\.0\s+offered to 25 %/)
    assert.match(published, /launcher\s+0\.9\.0\s+withdrawn/)
    assert.match(published, /reshade\s+5\.0\.0-beta\.1\s+public, beta/)
    assert.ok(published.includes(`${IMG} أخبار`))
    const bad = releasesYaml({ launcher: [record('1.0.0'), record(IMG)] })
    await writeFile(join(visit().contentDir, 'app', 'releases.yaml'), bad)
    await until(async () => (await page.locator('[data-verdict]').innerText()) === '1 problem')
    await until(async () => /releases .*app\/releases\.yaml, line 3/s.test(await page.locator('.verdict').innerText()))
    assert.equal(await page.locator('[data-announcer]').textContent(), '1 problem')
    assert.equal(await page.locator('main img[src="x"]').count(), 0)
    await writeFile(join(visit().contentDir, 'app', 'releases.yaml'), files['releases.yaml'])
    await page.getByRole('button', { name: 'Reload files' }).click()
    await until(async () => (await page.locator('[data-verdict]').innerText()) === 'No problems')
  })

  it('shows the downloads by day and version, and saves them as CSV without the token in an address', async () => {
    for (let n = 0; n < 3; n++) await visit().fetchPath(`${APP}/download/launcher?version=1.0.0`)
    await visit().fetchPath(`${APP}/download/launcher?version=2.0.0`)
    const page = await signedIn(visit())
    await until(async () => /Downloads today\s+4/.test(await page.locator('.tiles').innerText()))
    await part(page, 'downloads').locator('label', { hasText: 'launcher' }).click()
    const legend = chart(page, 'downloads').locator('.legend')
    await until(async () => /1\.0\.0 3\s+2\.0\.0 1/.test(await legend.innerText()))
    const saved = await saveFile(page, 'Download CSV of downloads')
    assert.equal(saved.name, 'downloads.csv')
    assert.match(saved.text, /^day,application,version,count\r\n.*launcher,1\.0\.0,3/)
    assert.match(saved.url, /^blob:/)
  })

  it('shows the share of each version in the update checks, and the rollout of the newest releases', async () => {
    for (const [version, checks] of Object.entries({ '1.0.0': 3, '2.0.0': 1 })) {
      for (let n = 0; n < checks; n++) await visit().fetchPath(`${APP}/launcher/updates?current=${version}`)
    }
    const page = await signedIn(visit())
    const legend = chart(page, 'adoption').locator('.legend')
    await until(async () => /1\.0\.0 75%\s+2\.0\.0 25%/.test(await legend.innerText()))
    const shown = part(page, 'adoption')
    await until(async () => /4 checks of about 1 installation\./.test(await shown.innerText()))
    await until(async () => /2\.0\.0\s+offered to 25 %\s+25%\s+1\.0\.0\s+public\s+75%/.test(await shown.innerText()))
    const saved = await saveFile(page, 'Download CSV of adoption')
    assert.equal(saved.name, 'adoption.csv')
    assert.match(saved.text, /^date,version,checks,installations\r\n.*,1\.0\.0,3,/s)
  })

  it('passes axe and does not scroll sideways, in both themes and at every width', async () => {
    await requestKey(visit(), { name: 'Foxglove مصباح', reason: 'x'.repeat(900) })
    const page = await signedIn(visit())
    await chart(page, 'requests').locator('summary').click()
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    await assertAccessible(page)
    assert.equal(await page.evaluate('document.getAnimations().length'), 0)
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.setViewportSize(phone)
    await assertStylesAccessible(page)
    await assertFitsEverywhere(page)
    await page.setViewportSize(desktop)
    await page.getByRole('button', { name: 'Refuse Foxglove' }).click()
    await assertAccessible(page, 'dialog[open]')
  })

  it('shows all columns of a table on a phone, with their names and buttons', async () => {
    const page = await signedIn(visit(), undefined, phone)
    await page.getByLabel('Address').fill('2001:db8:ffff:eeee::1')
    await page.getByLabel('Reason').fill('long'.repeat(40))
    await page.locator('[data-ban] button').click()
    await page.locator('[data-yes]').click()
    const lift = page.getByRole('button', { name: 'Lift 2001:db8:ffff:eeee::/64' })
    await lift.waitFor()
    for (const name of ['Bans', 'Releases', 'News']) {
      const wide = await page
        .locator(`.rows[aria-label="${name}"]`)
        .evaluate((box) => box.scrollWidth - box.clientWidth)
      assert.equal(wide, 0, `${name} scrolls sideways by ${wide} px`)
    }
    const { x = 0, width = 0 } = (await lift.boundingBox()) ?? {}
    assert.ok(x > 0 && x + width <= phone.width)
    const heading = 'getComputedStyle(document.querySelector("[data-head=Until]"), "::before").content'
    assert.match(await page.evaluate<string>(heading), /Until/)
    assert.match(await page.locator('[data-part=bans]').innerText(), /1 ban\./)
  })

  it('sends no requests while its tab is hidden', async () => {
    const page = await signedIn(visit(), undefined, desktop, 500)
    let requests = 0
    page.on('request', () => requests++)
    await page.evaluate(`Object.defineProperty(document, 'hidden', { get: () => globalThis.isHidden, configurable: true })
      globalThis.isHidden = true; document.dispatchEvent(new Event('visibilitychange'))`)
    const before = requests
    // Three refresh intervals: that nothing happens cannot be waited for.
    await page.waitForTimeout(1500)
    assert.ok(requests - before <= FEEDS, 'only requests that were running already')
    const whileHidden = requests
    await page.evaluate("globalThis.isHidden = false; document.dispatchEvent(new Event('visibilitychange'))")
    await until(() => requests > whileHidden)
  })

  // The last test, because the service keeps reporting the proxy.
  it('shows a proxy that TRUST_PROXY does not name as a problem', async () => {
    await visit().fetchPath(`${APP}/operator/overview`, { headers: { 'x-forwarded-for': '203.0.113.7' } })
    const page = await signedIn(visit())
    await page.locator('.verdict').getByText('set TRUST_PROXY=loopback').waitFor()
    assert.equal(await page.getByRole('heading', { name: 'Advice' }).count(), 0)
  })
})

test('a ramp shows its current and its next step, that it is paused, and why it was stopped', { skip }, async (t) => {
  const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString()
  const ramp = { steps: [10, 50, 100], every: '24h', start: hours(-1) }
  const pausedAt = hours(-0.5)
  const stopped = { ...ramp, pausedAt, maxFailures: 5, failures: { failed: 12, total: 100 } }
  const launcher = [
    record('1.0.0', { ramp: { ...ramp, start: hours(-100) } }),
    record('1.1.0', { ramp: { ...ramp, steps: [10, 20], start: hours(-100) } }),
    record('2.0.0', { ramp: { ...ramp, every: '90m' } }),
    record('3.0.0', { ramp: { ...ramp, pausedAt } }),
    record('4.0.0', { ramp: stopped }),
  ]
  const visit = await visitOperator(t, { 'releases.yaml': releasesYaml({ launcher }) })
  await visit.fetchPath(`${APP}/launcher/updates?current=1.0.0`)
  const page = await signedIn(visit)
  const next = String.raw`10 % now, 50 % at (\w+ \d+, \d{4}, )?\d\d:\d\d`
  for (const name of ['content', 'adoption']) {
    await until(async () => (await part(page, name).innerText()).includes('4.0.0'))
    const text = await part(page, name).innerText()
    assert.match(text, /4\.0\.0\s+stopped at 10 %: 12 of 100 failed/)
    assert.match(text, /3\.0\.0\s+paused at 10 %/)
    assert.match(text, new RegExp(String.raw`2\.0\.0\s+${next}`))
    assert.match(text, /1\.1\.0\s+offered to 20 %/)
    assert.match(text, /1\.0\.0\s+public/)
  }
  const problems = await page.locator('.verdict').innerText()
  assert.match(problems, /1 problem.*The ramp of launcher 4\.0\.0 is paused at 10 %: 12 of 100 installations failed/s)
  assertClean(visit)
})

test('with the example releases only, the page advises to replace them, and hides the parts about the product', {
  skip,
}, async (t) => {
  const visit = await startVisit(t)
  const page = await signedIn(visit)
  await page.getByRole('heading', { name: 'No problems' }).waitFor()
  await page.getByRole('heading', { name: 'Advice' }).waitFor()
  for (const name of ['downloads', 'adoption', 'clients']) assert.equal(await part(page, name).isVisible(), false, name)
  assert.equal(await page.locator('.tiles > div').count(), 8)
  const text = await page.locator('.verdict').innerText()
  assert.match(text, /releases Example releases are offered to clients: .*reshade 5\.9\.2.*app\/releases\.yaml/s)
  await assertAccessible(page, '.verdict')
  assertClean(visit)
})

test('the page says when the service is unavailable, and continues when it is back', { skip }, async (t) => {
  const visit = await visitOperator(t, files)
  const page = await signedIn(visit)
  await visit.service.stop()
  const lost = /Lost contact since \d\d:\d\d/
  await page.getByRole('heading', { name: lost }).waitFor()
  assert.match(await page.locator('.connection').innerText(), new RegExp(`^${lost.source}, retrying in \\d+ s\\.`))
  assert.match((await page.locator('[data-announcer]').textContent()) ?? '', new RegExp(`^${lost.source}, retrying$`))
  assert.match(await page.title(), new RegExp(`^${lost.source} · Menagerie: operator$`))
  const tiles = page.locator('.tiles > div')
  const oldTiles = tiles.filter({ hasText: /not updated since \d\d:\d\d/ })
  assert.deepEqual([await tiles.count(), await oldTiles.count()], [10, 10])
  await assertAccessible(page, '.verdict, .connection, .tiles')
  await page.emulateMedia({ colorScheme: 'dark' })
  await assertStylesAccessible(page)
  assert.match(await part(page, 'content').innerText(), /launcher\s+2\.0\.0/, 'the page keeps its content')
  const { url, dataDir: DATA_DIR, contentDir: CONTENT_DIR } = visit
  await startTestService(t, { PORT: new URL(url).port, DATA_DIR, CONTENT_DIR })
  await page.locator('.connection[data-state=live]').waitFor({ timeout: 40_000 })
  assert.equal(await page.getByRole('button', { name: 'Try now' }).isVisible(), false)
  await page.getByRole('heading', { name: 'No problems' }).waitFor()
  assert.equal(await page.title(), 'Menagerie: operator')
  assert.deepEqual([await tiles.count(), await oldTiles.count()], [10, 0])
  assert.equal(await page.locator('.out-of-contact').count(), 0)
  await fetch(`${url}/api/v1/version`)
  await until(async () => /GET \/api\/v1\/version/.test(await part(page, 'endpoints').innerText()))
})
