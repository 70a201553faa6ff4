import assert from 'node:assert/strict'
import { afterEach, describe, it, test } from 'node:test'
import { skipWithoutBrowser } from '../../kit/browser.ts'
import { startPictureSource } from '../../kit/picture-source.ts'
import { createNoisyImage } from '../../kit/pictures.ts'
import { forSuite } from '../../kit/scope.ts'
import { until } from '../../kit/until.ts'
import {
  assertAccessible,
  assertClean,
  assertFitsEverywhere,
  assertStylesAccessible,
  desktop,
  phone,
  startVisit,
} from './visit.ts'

const skip = skipWithoutBrowser

const PAGES = ['/', '/a/fox/Ada', '/playground', '/v5-access', '/operator']

describe('every page', { skip }, () => {
  const visit = forSuite((scope) => startVisit(scope))
  afterEach(() => visit().closePages())

  for (const path of PAGES) {
    it(`${path} passes axe and does not scroll sideways, in both themes and at every width`, async () => {
      const page = await visit().open(path, desktop)
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
      await assertAccessible(page)
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.setViewportSize(phone)
      await assertStylesAccessible(page)
      assertClean(visit())
      await assertFitsEverywhere(page)
    })
  }

  it('has a font of its own, and nothing moves when it arrives', async () => {
    const page = await visit().open('/robots.txt')
    const released = Promise.withResolvers<void>()
    await page.route('**/nunito.woff2*', async (route) => {
      await released.promise
      await route.continue()
    })
    await page.addInitScript(`globalThis.moved = 0
      new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => { moved += value }))
        .observe({ type: 'layout-shift', buffered: true })`)
    await page.goto(`${visit().url}/docs/guides/limits`, { waitUntil: 'domcontentloaded' })
    const hasFont = () => page.evaluate<boolean>("document.fonts.check('1em Nunito')")
    const height = () => page.evaluate<number>("document.querySelector('main').getBoundingClientRect().height")
    const before = await height()
    assert.equal(await hasFont(), false)
    released.resolve()
    await until(hasFont)
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    const change = Math.abs((await height()) / before - 1)
    const moved = await page.evaluate<number>('moved')
    assert.ok(moved < 0.05 && change < 0.03, `layout shift ${moved}, change of height ${change}`)
    await page.unroute('**/nunito.woff2*')
  })

  it('is printed with dark code on white in every theme, and without controls', async () => {
    const page = await visit().open('/docs/guides/filters')
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    const colours = (selector: string) =>
      page.evaluate<string>(
        `(({ color, backgroundColor }) => color + ' on ' + backgroundColor)(getComputedStyle(document.querySelector('${selector}')))`,
      )
    assert.equal(await colours('body'), 'rgb(46, 33, 66) on rgb(255, 255, 255)')
    assert.equal(await colours('.example'), 'rgb(46, 33, 66) on rgb(255, 255, 255)')
    for (const name of ['Pages', 'Guides']) {
      assert.equal(await page.getByRole('navigation', { name, exact: true }).isVisible(), false)
    }
    assert.equal(await page.locator('[data-copy-code]').first().isVisible(), false)
  })

  it('says on the front page that the visitor is offline until requests work again', async () => {
    const page = await visit().open('/', phone)
    const notice = page.locator('[data-offline]')
    assert.equal(await notice.isVisible(), false)
    await visit().context.setOffline(true)
    await until(async () => (await notice.isVisible()) && /^You are offline/.test(await notice.innerText()))
    await assertStylesAccessible(page)
    await visit().context.setOffline(false)
    await until(async () => !(await notice.isVisible()))
    const readUptime = async () => (await page.locator('[data-uptime]').textContent()) ?? ''
    assert.match(await readUptime(), /^\d\d:\d\d:\d\d$/)
    await page.route('**/api/v1/uptime', (route) => route.fulfill({ status: 429, json: { code: 'RATE_LIMITED' } }))
    await Promise.all([page.waitForResponse('**/api/v1/uptime'), page.evaluate("dispatchEvent(new Event('online'))")])
    const before = await readUptime()
    await until(async () => (await readUptime()) !== before)
    assert.match(await readUptime(), /^\d\d:\d\d:\d\d$/)
  })
})

test('without JavaScript the pages work by links and forms', { skip }, async (t) => {
  const source = await startPictureSource(t)
  const picture = source.put('/cat.png', { type: 'image/png', body: await createNoisyImage('png', 64, 48) })
  const visit = await startVisit(t, { FILTER_ALLOW_HOSTS: source.host }, { javaScriptEnabled: false })
  const page = await visit.open('/?animal=fish')
  const first = await page.locator('.animal img').getAttribute('src')
  // A random choice may be the same again.
  await until(async () => {
    await page.locator('.animal').click()
    assert.match((await page.locator('.animal img').getAttribute('src')) ?? '', /animals\/fish\//)
    return (await page.locator('.animal img').getAttribute('src')) !== first
  })
  assert.notEqual(await page.locator('[data-answer]').textContent(), '')
  assert.equal(await page.locator('[data-copy-code]').first().isVisible(), false)
  await page.locator('[data-code] .languages label', { hasText: 'Python' }).click()
  assert.match(await page.locator('[data-code] pre:visible').first().innerText(), /^import requests/)

  await page.goto(`${visit.url}/playground`)
  await page.locator('#image').fill(picture)
  await page.getByLabel('Filters').fill('invert,blur:3')
  await page.locator('summary').click()
  await page.getByLabel('Width').fill('32')
  await page.getByRole('button', { name: 'Apply' }).click()
  const after = page.locator('noscript img').nth(1)
  assert.match(
    (await after.getAttribute('src')) ?? '',
    /^api\/v2\/filter\/chain\?image=.*&steps=invert,blur:3&width=32$/,
  )
  assert.equal(await page.locator('.example-status').isVisible(), false, 'no empty space for a reply')
  await page.goto(`${visit.url}/playground?filter=nope`)
  assert.match(await page.locator('[data-url-problem]').innerText(), /no filter "nope".*Use one of: blur/)
  assert.equal(await page.locator('.samples [aria-current]').count(), 1)

  await page.goto(`${visit.url}/v5-access`)
  assert.match(await page.locator('.key-request').innerText(), /curl '.*\/api\/v5\/app\/clients'/)
  assertClean(visit)
})

test('an open page says when the service is unavailable, and keeps its content', { skip }, async (t) => {
  const visit = await startVisit(t)
  const front = await visit.open('/')
  const playground = await visit.open('/playground')
  await playground.locator('[data-after]').waitFor()
  await visit.service.stop()
  const shown = await front.locator('.animal img').getAttribute('src')
  await front.locator('.animal').click()
  await until(async () => /does not reply/.test(await front.locator('[data-panel=animal] [data-problem]').innerText()))
  assert.equal(await front.locator('.animal img').getAttribute('src'), shown)
  await until(async () => /^The service does not reply/.test(await front.locator('[data-offline]').innerText()))
  assert.equal(await front.locator('[data-uptime]').textContent(), 'no reply')
  await front.locator('#avatar-name').fill('Zoë')
  await until(async () => /could not be loaded/.test(await front.locator('[data-drawing-problem]').innerText()))
  await playground.locator('.filter-choice', { hasText: 'invert' }).click()
  await until(async () => /does not reply/.test(await playground.locator('[data-problem]').innerText()))
  await playground.getByRole('button', { name: 'Try again' }).waitFor()
})
