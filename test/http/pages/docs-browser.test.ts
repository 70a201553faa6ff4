import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import type { Page, Route } from 'playwright-core'
import type { ApiDocument } from '../../../src/http/kernel/openapi.ts'
import { openBrowser, skipWithoutBrowser } from '../../kit/browser.ts'
import { forSuite } from '../../kit/scope.ts'
import { until } from '../../kit/until.ts'
import {
  assertAccessible,
  assertClean,
  assertFits,
  assertFitsEverywhere,
  assertMarkupAccessible,
  assertStylesAccessible,
  desktop,
  phone,
  readClipboard,
  startVisit,
} from './visit.ts'

const skip = skipWithoutBrowser
/** All guides are built alike: these have an example of each part. */
const PAGES = ['', '/getting-started', '/filters', '/errors'].map((name) => `/docs/guides${name}`)

/** Leaves one operation of each group, or of this path: Scalar needs many seconds to render all of them. */
async function shortenReference(page: Page, only?: string): Promise<void> {
  const shorten = async (route: Route) => {
    const reply = await route.fetch()
    const document = (await reply.json()) as ApiDocument
    const groups = new Set<unknown>()
    for (const [path, operations] of Object.entries(document.paths)) {
      const [group] = Object.values(operations).flatMap(({ tags }) => tags)
      const isLeft = only === undefined ? !groups.has(group) || path.includes('kaomoji') : path === only
      if (!isLeft) delete document.paths[path]
      groups.add(group)
    }
    await route.fulfill({ response: reply, json: document })
  }
  await page.route('**/openapi.json', shorten, { times: 1 })
}

/** Scalar renders the part that is scrolled to, so this scrolls to the last group of endpoints. */
async function scrollToEnd(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Random content, v2' }).waitFor()
  await until(async () => {
    await page.mouse.wheel(0, 400)
    return page.getByRole('heading', { name: 'Developer information' }).isVisible()
  }, 60_000)
}

describe('the documentation in a browser', { skip }, () => {
  const visit = forSuite((scope) => startVisit(scope))
  afterEach(() => visit().closePages())

  for (const path of PAGES) {
    it(`${path} passes axe and does not scroll sideways, in both themes and at every width`, async () => {
      const page = await visit().open(path, desktop)
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
      await assertMarkupAccessible(page)
      // The guides have the same styles: these two have an example of each element.
      if (path.endsWith('/filters') || path.endsWith('/errors')) {
        await assertStylesAccessible(page)
        await page.setViewportSize(phone)
        await page.emulateMedia({ colorScheme: 'dark' })
        await assertStylesAccessible(page)
      }
      await assertFitsEverywhere(page)
      assertClean(visit())
    })
  }

  it('copies an example in the chosen language, and a sample unchanged', async () => {
    const page = await visit().open('/docs/guides/getting-started')
    await page.locator('.languages label', { hasText: 'Python' }).first().click()
    await page.locator('.example [data-copy-code]').first().click()
    await page.locator('.example [data-copied="Copied"]').waitFor()
    assert.match(await readClipboard(page), /^import requests[\s\S]*random\/animal\/cat/)
    await page.locator('.sample', { hasText: 'createClient' }).getByRole('button').click()
    await page.locator('.sample [data-copied="Copied"]').waitFor()
    assert.match(await readClipboard(page), /^import \{ createClient \} from 'http:.*\/site\/client\.js'\n/)
  })

  it('/ focuses the search, and the arrows choose a result', async () => {
    const page = await visit().open('/docs/guides/limits', phone)
    await page.locator('body').press('/')
    await page.keyboard.type('random kaomoji')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Search' }).waitFor()
    await assertAccessible(page)
    await assertFits(page)
    for (const [words, result] of [
      ['image_too_large', 'IMAGE_TOO_LARGE'],
      ['random kaomoji', 'Random kaomoji: GET'],
    ] as const) {
      await page.locator('[data-search]').fill(words)
      await page.locator('[data-results] li:first-child a', { hasText: result }).waitFor()
      await page.waitForURL(`**/docs/search?q=${encodeURIComponent(words)}`)
    }
    await page.locator('[data-search]').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Escape')
    assert.equal(await page.evaluate('document.activeElement.name'), 'q')
    assertClean(visit())
  })

  it('shows the images that its requests return', async () => {
    const page = await visit().open('/docs/guides/filters')
    for (const picture of await page.locator('figure img').all()) await picture.scrollIntoViewIfNeeded()
    const shown = 'Promise.all([...document.querySelectorAll("figure img")].map((image) => image.decode()))'
    assert.equal((await page.evaluate<unknown[]>(shown)).length, 5)
  })

  it('a guide works without JavaScript', async (t) => {
    const { url } = visit()
    const browser = await openBrowser(t, url, { javaScriptEnabled: false, viewport: phone })
    const page = await browser.context.newPage()
    await page.goto(`${url}/docs/guides/filters`)
    await page.locator('.languages label', { hasText: 'C#' }).first().click()
    assert.match(await page.locator('.example pre:visible').first().innerText(), /HttpClient/)
    assert.equal(await page.getByRole('button', { name: 'Copy' }).count(), 0)
    await page.goto(`${url}/docs`)
    await page.locator('noscript a', { hasText: 'guides' }).click()
    assert.equal(await page.locator('h1').innerText(), 'Guides')
    assertClean(browser)
  })

  it('a link with an invalid anchor or parameter does not make the reference empty', async () => {
    const page = await visit().open('/robots.txt')
    for (const invalid of ['#tag/operator%', '?api=__proto__']) {
      await shortenReference(page)
      await page.goto(`${visit().url}/docs${invalid}`)
      await page.getByRole('heading', { name: 'Random content, v2' }).waitFor()
    }
    assertClean(visit())
  })

  it('a visitor who tries operator endpoints without a token is not banned', async (t) => {
    const { open, url } = await startVisit(t, { BAN_EXEMPT: '' })
    for (const [method, path] of [
      ['GET', '/api/v5/app/operator/overview'],
      ['POST', '/api/v5/app/operator/reload'],
    ] as const) {
      const page = await open('/robots.txt')
      await shortenReference(page, path)
      await page.goto(`${url}/docs#tag/operator-v5/${method}${path}`)
      await page.locator('button', { hasText: 'Try it' }).first().click()
      const send = page.getByRole('button', { name: /^Send/ }).first()
      const statuses: number[] = []
      while (statuses.length < 6) {
        const [reply] = await Promise.all([page.waitForResponse((sent) => sent.url().endsWith(path)), send.click()])
        statuses.push(reply.status())
      }
      assert.deepEqual(statuses, Array(6).fill(401), method)
    }
  })

  // One test, because Scalar takes seconds to render the reference.
  it('a search result opens the reference, which has the theme of other pages, passes axe in both and fits', async () => {
    const page = await visit().open('/docs/search?q=random+kaomoji', desktop)
    await shortenReference(page)
    await page.evaluate("localStorage.setItem('theme', 'dark')")
    await page.locator('[data-results] li:first-child a', { hasText: 'Random kaomoji: GET' }).waitFor()
    await page.locator('[data-search]').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/docs#tag/**')
    await page.locator('#reference h3', { hasText: 'Random kaomoji' }).first().waitFor()
    await page.evaluate('scrollTo(0, 0)')
    await page.locator('body.dark-mode').waitFor()
    await page.getByText('Language of the examples').waitFor()
    assert.equal(await page.getByText('Authentication', { exact: true }).filter({ visible: true }).count(), 0)
    await scrollToEnd(page)
    await assertAccessible(page)
    await assertFits(page)
    await page.setViewportSize(phone)
    await page.evaluate('scrollTo(0, 0)')
    const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    const dark = await background()
    await page.locator('[data-theme-switch]').click()
    await page.locator('body.light-mode').waitFor()
    assert.notEqual(await background(), dark)
    assert.equal(await page.evaluate("localStorage.getItem('theme')"), 'light')
    await assertStylesAccessible(page)
    await assertFits(page)
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Guides' }).click()
    assert.equal(await page.locator('h1').innerText(), 'Guides')
    assertClean(visit())
  })
})
