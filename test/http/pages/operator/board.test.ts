import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, it, test } from 'node:test'
import type { Page } from 'playwright-core'
import { APP } from '../../../kit/app.ts'
import { skipWithoutBrowser } from '../../../kit/browser.ts'
import { news, record, releasesYaml } from '../../../kit/releases.ts'
import { forSuite } from '../../../kit/scope.ts'
import { startTestService } from '../../../kit/service.ts'
import { until } from '../../../kit/until.ts'
import { assertAccessible, assertClean, assertFits, desktop, FAILED_REQUEST_MESSAGE, phone } from '../visit.ts'
import { ask, part, signedIn, visitOperator } from './sign-in.ts'

const IMG = '<img src=x onerror=alert(1)>'
const files = {
  'releases.yaml': releasesYaml({
    launcher: [record('1.0.0'), record('2.0.0', { rollout: 25 }), record('0.9.0', { withdrawn: true })],
    reshade: [record('5.0.0-beta.1', { beta: true })],
  }),
  'news/one.md': news(`${IMG} أخبار`),
}
const skip = skipWithoutBrowser
const chart = (page: Page, name: string) => page.locator(`[data-chart="${name}"]`)
const soon = (condition: () => Promise<boolean>) => until(condition, 20_000)

describe('the dashboard', { skip }, () => {
  const visit = forSuite((scope) => visitOperator(scope, files))
  after(() => assertClean(visit(), FAILED_REQUEST_MESSAGE))

  it('draws what is asked of the service while it is asked, and tells it in tables, too', async () => {
    const page = await signedIn(visit())
    const picture = encodeURIComponent(`${visit().url}/media/animals/cat/~1.png`)
    for (let n = 0; n < 6; n++) await visit().fetchPath('/api/v1/version')
    await visit().fetchPath(`/api/v2/filter/invert?image=${picture}`)
    await visit().fetchPath('/api/v2/random/animal/unicorn')
    await soon(async () =>
      /invert: last.*maximum [1-9]/.test(
        (await chart(page, 'filters').locator('svg').getAttribute('aria-label')) ?? '',
      ),
    )
    assert.ok(((await chart(page, 'requests').locator('.mark.tone-good').getAttribute('d')) ?? '').length > 10)
    assert.match(
      (await chart(page, 'latency').locator('svg').getAttribute('aria-label')) ?? '',
      /p99: .*maximum [\d.]+ (?:µs|ms|s)/,
    )
    assert.match(await part(page, 'groups').innerText(), /Developer information\s+6/)
    await chart(page, 'requests').locator('summary').click()
    await chart(page, 'requests').getByRole('columnheader', { name: '4xx' }).waitFor()
    assert.ok((await chart(page, 'requests').locator('tbody tr').count()) > 0)
    assert.match(await page.locator('.tiles').innerText(), /Filters per minute\s+[1-9]/)
    await page.locator('.choices label', { hasText: '1 hour' }).click()
    await soon(async () =>
      /invert: last.*maximum [1-9]/.test(
        (await chart(page, 'filters').locator('svg').getAttribute('aria-label')) ?? '',
      ),
    )
    await chart(page, 'requests').locator('svg').hover()
    await chart(page, 'requests').locator('.legend .when').waitFor()
  })

  it('names what is wrong with file and line as soon as it is so, and what is published', async () => {
    const page = await signedIn(visit())
    assert.equal(await page.locator('[data-verdict]').innerText(), 'No problems')
    const published = await part(page, 'content').innerText()
    assert.match(published, /launcher\s+2\.0\.0\s+offered to 25 %/)
    assert.match(published, /launcher\s+0\.9\.0\s+withdrawn/)
    assert.match(published, /reshade\s+5\.0\.0-beta\.1\s+public, beta/)
    assert.ok(published.includes(`${IMG} أخبار`))
    const bad = releasesYaml({ launcher: [record('1.0.0'), record(IMG)] })
    await writeFile(join(visit().contentDir, 'app', 'releases.yaml'), bad)
    await soon(async () => (await page.locator('[data-verdict]').innerText()) === '1 problem')
    assert.match(await page.locator('.verdict').innerText(), /releases .*app\/releases\.yaml, line 3/s)
    assert.equal(await page.locator('[data-announcer]').textContent(), '1 problem')
    assert.equal(await page.locator('main img[src="x"]').count(), 0)
    await writeFile(join(visit().contentDir, 'app', 'releases.yaml'), files['releases.yaml'])
    await page.getByRole('button', { name: 'Reload files' }).click()
    await soon(async () => (await page.locator('[data-verdict]').innerText()) === 'No problems')
  })

  it('shows the downloads by day and version, and saves them as CSV without the token in an address', async () => {
    for (let n = 0; n < 3; n++) await visit().fetchPath(`${APP}/download/launcher?version=1.0.0`)
    await visit().fetchPath(`${APP}/download/launcher?version=2.0.0`)
    const page = await signedIn(visit())
    await soon(async () => /Downloads today\s+4/.test(await page.locator('.tiles').innerText()))
    await part(page, 'downloads').locator('label', { hasText: 'launcher' }).click()
    const legend = chart(page, 'downloads').locator('.legend')
    await soon(async () => /1\.0\.0 3\s+2\.0\.0 1/.test(await legend.innerText()))
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download CSV' }).click()
    const saved = await saving
    assert.equal(saved.suggestedFilename(), 'downloads.csv')
    assert.match(
      await readFile((await saved.path()) ?? '', 'utf8'),
      /^day,application,version,count\r\n.*launcher,1\.0\.0,3/,
    )
    assert.match(saved.url(), /^blob:/)
  })

  it('gives axe nothing to find and does not scroll sideways, in any light and on any screen', async () => {
    await ask(visit(), { name: 'Foxglove مصباح', reason: 'x'.repeat(900) })
    const page = await signedIn(visit())
    await chart(page, 'requests').locator('summary').click()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await assertAccessible(page)
    }
    assert.equal(await page.evaluate('document.getAnimations().length'), 0)
    await page.setViewportSize(phone)
    await assertAccessible(page)
    for (const width of [320, 360, 640]) {
      await page.setViewportSize({ width, height: 640 })
      await assertFits(page)
    }
    await page.evaluate("document.documentElement.style.fontSize = '200%'")
    await assertFits(page)
    await page.evaluate("document.documentElement.style.fontSize = ''")
    await page.setViewportSize(desktop)
    await page.getByRole('button', { name: 'Refuse Foxglove' }).click()
    await assertAccessible(page)
  })

  it('shows each row of a table whole on a phone, with its buttons and the names of its columns', async () => {
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
    assert.match(await page.locator('.tiles').innerText(), /1 address banned/)
  })

  it('asks nothing while its tab is not seen', async () => {
    const page = await signedIn(visit())
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.evaluate(`Object.defineProperty(document, 'hidden', { get: () => globalThis.unseen, configurable: true })
      globalThis.unseen = true; document.dispatchEvent(new Event('visibilitychange'))`)
    const begun = asked.length
    await page.waitForTimeout(6500)
    assert.ok(asked.length - begun <= 6, 'what was under way, at most')
    const [before] = [asked.length]
    await page.evaluate("globalThis.unseen = false; document.dispatchEvent(new Event('visibilitychange'))")
    await soon(async () => asked.length > before)
  })
})

test('when the service stops the page says so, and goes on by itself when it is back', { skip }, async (t) => {
  const visit = await visitOperator(t, files)
  const page = await signedIn(visit)
  await visit.service.stop()
  await page.getByText('Lost contact, retrying').first().waitFor()
  assert.equal(await page.locator('[data-announcer]').textContent(), 'Lost contact, retrying')
  assert.match(await part(page, 'content').innerText(), /launcher\s+2\.0\.0/, 'what was shown stays')
  const { url, dataDir: DATA_DIR, contentDir: CONTENT_DIR } = visit
  await startTestService(t, { PORT: new URL(url).port, DATA_DIR, CONTENT_DIR })
  await page.locator('.contact[data-state=live]').waitFor({ timeout: 40_000 })
  assert.equal(await page.getByRole('button', { name: 'Try now' }).isVisible(), false)
  await soon(async () => /Operator, v5/.test(await part(page, 'groups').innerText()))
})
