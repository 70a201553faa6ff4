import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { skipWithoutBrowser } from '../../kit/browser.ts'
import { forSuite } from '../../kit/scope.ts'
import { until } from '../../kit/until.ts'
import { assertAccessible, assertClean, assertFits, desktop, phone, startVisit } from './visit.ts'

/** Scalar draws what is scrolled to: to its end, where the models are. */
async function readToTheEnd(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Random content, v1' }).waitFor()
  await until(async () => {
    await page.mouse.wheel(0, 4000)
    return page.evaluate<boolean>('scrollY + innerHeight > document.documentElement.scrollHeight - 10')
  }, 60_000)
}

describe('the API reference', { skip: skipWithoutBrowser }, () => {
  const visit = forSuite((scope) => startVisit(scope))

  for (const [colorScheme, size] of [
    ['light', desktop],
    ['dark', phone],
  ] as const) {
    it(`gives axe nothing to find, in ${colorScheme}, ${size.width} px wide, from its start to its end`, async () => {
      const page = await visit().open('/playground', size)
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.goto(`${visit().url}/docs`)
      await readToTheEnd(page)
      await assertAccessible(page)
      await assertFits(page)
      await page.close()
      assertClean(visit())
    })
  }
})
