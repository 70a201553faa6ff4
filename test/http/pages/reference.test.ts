import { afterEach, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { skipWithoutBrowser } from '../../kit/browser.ts'
import { forSuite } from '../../kit/scope.ts'
import { until } from '../../kit/until.ts'
import {
  assertAccessible,
  assertClean,
  assertFits,
  assertStylesAccessible,
  desktop,
  phone,
  startVisit,
} from './visit.ts'

/** Scalar renders the part that is scrolled to, so this scrolls to the end, where the models are. */
async function scrollToEnd(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Random content, v1' }).waitFor()
  await until(async () => {
    await page.mouse.wheel(0, 4000)
    return page.evaluate<boolean>('scrollY + innerHeight > document.documentElement.scrollHeight - 10')
  }, 60_000)
}

describe('the API reference', { skip: skipWithoutBrowser }, () => {
  const visit = forSuite((scope) => startVisit(scope))
  afterEach(() => visit().closePages())

  async function openReference(size: typeof desktop): Promise<Page> {
    const page = await visit().open('/docs', size)
    await scrollToEnd(page)
    await page.getByRole('heading', { name: 'Developer information' }).waitFor()
    return page
  }

  it('shows every group, passes axe and loads nothing from other hosts', async () => {
    const page = await openReference(desktop)
    await assertAccessible(page)
    await assertFits(page)
    assertClean(visit())
  })

  it('has the theme that was chosen on another page, passes axe and fits on a phone', async () => {
    const other = await visit().open('/v5-access')
    await other.evaluate("localStorage.setItem('theme', 'dark')")
    const page = await openReference(phone)
    await page.locator('body.dark-mode').waitFor()
    await assertStylesAccessible(page)
    await assertFits(page)
    assertClean(visit())
  })
})
