import assert from 'node:assert/strict'
import { after, afterEach, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { skipWithoutBrowser } from '../../kit/browser.ts'
import { forSuite } from '../../kit/scope.ts'
import { until } from '../../kit/until.ts'
import { assertClean, phone, readClipboard, startVisit } from './visit.ts'

const animalOf = (page: Page) => page.locator('.animal img').getAttribute('src')
const requestOf = (page: Page) => page.locator('[data-code] pre:visible').first().textContent()

describe('the front page', { skip: skipWithoutBrowser }, () => {
  const visit = forSuite((scope) => startVisit(scope))
  after(() => assertClean(visit()))
  afterEach(() => visit().closePages())

  it('shows another animal by click, Enter, Space and arrow, and goes back', async () => {
    const page = await visit().open('/?animal=fox')
    const seen = [await animalOf(page)]
    const changes = async (act: () => Promise<void>) => {
      const last = await animalOf(page)
      await act()
      await until(async () => (await animalOf(page)) !== last)
      seen.push(await animalOf(page))
    }
    await changes(() => page.locator('.animal').click())
    await changes(() => page.locator('.animal').press('Enter'))
    await changes(() => page.locator('.animal').press('Space'))
    await changes(() => page.keyboard.press('ArrowRight'))
    await page.keyboard.press('ArrowLeft')
    await until(async () => (await animalOf(page)) === seen[3])
    const alt = await page.locator('.animal img').getAttribute('alt')
    assert.equal(await page.locator('[data-announcer]').textContent(), alt)
    assert.match((await page.locator('[data-code] [data-reply]').textContent()) ?? '', /"endpoint": "fox"/)
  })

  it('changes the kind, the request in every language, and the address', async () => {
    const page = await visit().open('/?animal=fox', phone)
    await page.getByRole('link', { name: 'bird' }).first().click()
    await until(async () => /animals\/bird\//.test((await animalOf(page)) ?? ''))
    for (const [name, words] of [
      ['curl', /^curl '/],
      ['JavaScript', /await fetch\('/],
      ['Python', /requests\.get\('/],
      ['C#', /GetFromJsonAsync<JsonElement>\("/],
    ] as const) {
      await page.locator('[data-code] .languages label', { hasText: name }).click()
      const request = await requestOf(page)
      assert.match(request ?? '', words)
      assert.match(request ?? '', new RegExp(`${visit().url}/api/v2/random/animal/bird['"]`))
    }
    assert.match(page.url(), /\?animal=bird$/)
    await page.reload()
    assert.match((await requestOf(page)) ?? '', /HttpClient/, 'the chosen language is kept')
  })

  it('copies a request and a kaomoji', async () => {
    const page = await visit().open('/?animal=fox')
    await page.evaluate("localStorage.removeItem('language')")
    await page.reload()
    const shown = await page.locator('.hero-request code').textContent()
    assert.equal(shown, `curl ${visit().url}/api/v2/random/animal/fox`)
    await page.locator('.hero-request button').click()
    await until(async () => (await readClipboard(page)) === shown)
    await page.locator('[data-example="8ball"]').click()
    await page.locator('[data-example="8ball"][aria-current=true]').waitFor()
    assert.equal(await page.locator('[data-example][aria-current=true]').count(), 1)
    await page.locator('[data-code] [data-copy-code]').click()
    await until(async () => (await readClipboard(page)) === `curl '${visit().url}/api/v2/random/string/8ball'`)
    const kaomoji = page.locator('.kaomoji button').nth(3)
    const text = await kaomoji.locator('bdi').textContent()
    // The message is visible for a moment only.
    await Promise.all([page.locator('.kaomoji button[data-copied=Copied]').waitFor(), kaomoji.click()])
    await until(async () => (await readClipboard(page)) === text)
  })

  it('loads other kaomoji of the chosen kind', async () => {
    const page = await visit().open('/', phone)
    const first = await page.locator('.kaomoji').textContent()
    await page.locator('[data-kinds=kaomoji] a', { hasText: 'uwu' }).click()
    await until(async () => (await page.locator('.kaomoji').textContent()) !== first)
    assert.equal(await page.locator('.kaomoji button').count(), 12)
    const second = await page.locator('.kaomoji').textContent()
    await page.getByRole('button', { name: 'More kaomoji' }).click()
    await until(async () => (await page.locator('.kaomoji').textContent()) !== second)
    assert.match((await requestOf(page)) ?? '', /kaomoji\/uwu\?count=12/)
  })

  it('shakes the 8ball and shows its answer without sending the question', async () => {
    const page = await visit().open('/')
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url() + (request.postData() ?? '')))
    await page.getByLabel('Your question').fill('Will it rain fish?')
    await Promise.all([page.locator('.ball.shaking').waitFor(), page.getByLabel('Your question').press('Enter')])
    await until(async () => ((await page.locator('[data-answer]').textContent()) ?? '') !== '')
    const answer = (await page.locator('[data-answer]').textContent()) ?? ''
    assert.ok((await page.locator('[data-code] [data-reply]').textContent())?.includes(JSON.stringify(answer)))
    await page.locator('.ball:not(.shaking)').waitFor()
    assert.ok(requests.includes(`${visit().url}/api/v2/random/string/8ball`))
    assert.deepEqual(
      requests.filter((request) => /rain/.test(request)),
      [],
    )
  })

  it('shows no animation if reduced motion is preferred', async () => {
    const page = await visit().open('/')
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.locator('.question button').click()
    const moving = "document.getAnimations().length + document.querySelectorAll('.shaking').length"
    assert.equal(await page.evaluate(moving), 0)
    await until(async () => ((await page.locator('[data-answer]').textContent()) ?? '') !== '')
    await page.locator('.animal').click()
    await page.locator('[data-panel=animal]:not([aria-busy])').waitFor()
    assert.equal(await page.evaluate(moving), 0)
  })

  it('links to a video, and to another one on request', async () => {
    const page = await visit().open('/', phone)
    const hrefs = new Set<string | null>()
    for (let nth = 0; nth < 12 && hrefs.size < 2; nth++) {
      await page.getByRole('button', { name: 'Another video' }).click()
      await page.locator('[data-panel=video]:not([aria-busy])').waitFor()
      hrefs.add(await page.locator('[data-video] a').getAttribute('href'))
    }
    assert.equal(hrefs.size, 2)
    for (const href of hrefs) assert.match(href ?? '', /^https:\/\/www\.youtube\.com\/watch\?v=[\w-]{11}$/)
    assert.equal(await page.locator('[data-host]').textContent(), 'www.youtube.com')
    assert.equal(await page.locator('[data-panel=video]').locator('img, iframe, video').count(), 0)
  })

  it('keeps the chosen theme on other pages', async () => {
    const page = await visit().open('/')
    const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    await page.emulateMedia({ colorScheme: 'light' })
    const light = await ground()
    await page.getByRole('button', { name: 'Dark theme' }).click()
    const dark = await ground()
    assert.notEqual(dark, light)
    await page.goto(`${visit().url}/v5-access`)
    assert.equal(await ground(), dark)
    await page.getByRole('button', { name: 'Light theme' }).click()
    assert.equal(await ground(), light)
  })
})
