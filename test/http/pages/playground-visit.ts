import { after, afterEach } from 'node:test'
import type { Page } from 'playwright-core'
import { startPictureSource } from '../../kit/picture-source.ts'
import { createNoisyImage } from '../../kit/pictures.ts'
import { forSuite } from '../../kit/scope.ts'
import { assertClean, FAILED_REQUEST_MESSAGE, startVisit } from './visit.ts'

export const at = (image: string, steps: string, options = {}) =>
  `/playground?${new URLSearchParams({ image, steps, ...options })}`

/** Changes the filter of the selected step. */
export const chooseFilter = (page: Page, filter: string) => page.locator('.filter-choice', { hasText: filter }).click()

/** The part of the page's URL that names the filters. */
export const stepsOf = (page: Page) => /steps=([^&]*)/.exec(page.url())?.[1]

export const readProblem = async (page: Page) => {
  await page.locator('[data-problem] p').first().waitFor()
  return page.locator('[data-problem]').innerText()
}

/** Waits for a successful filter reply whose URL contains `part`. */
export const waitForFilter = (page: Page, part: string) =>
  page.waitForResponse((response) => {
    const url = response.url()
    return url.includes('/api/v2/filter/') && url.includes(part) && response.ok()
  })

/** As data URLs: canvases that are not drawn yet are equal. */
export const READ_THUMBNAILS = `
  [...document.querySelectorAll('[data-choices] canvas')].map((canvas) => canvas.toDataURL())`

export const chooseFile = (page: Page, name: string, mimeType: string, buffer: Buffer) =>
  page.locator('[data-file]').setInputFiles({ name, mimeType, buffer })

/** Visits the playground in all tests of the surrounding describe block. Call the result inside a test. */
export function visitPlayground() {
  const visit = forSuite(async (scope) => {
    const source = await startPictureSource(scope)
    const picture = source.put('/cat.png', { type: 'image/png', body: await createNoisyImage('png', 64, 48) })
    const visit = await startVisit(scope, { FILTER_ALLOW_HOSTS: source.host })
    return { ...visit, source, picture }
  })
  after(() => assertClean(visit(), FAILED_REQUEST_MESSAGE))
  afterEach(() => visit().closePages())
  return visit
}
