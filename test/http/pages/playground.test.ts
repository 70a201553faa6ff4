import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { skipWithoutBrowser } from '../../kit/browser.ts'
import { createNoisyImage } from '../../kit/pictures.ts'
import { until } from '../../kit/until.ts'
import { at, chooseFilter, READ_THUMBNAILS, stepsOf, visitPlayground, waitForFilter } from './playground-visit.ts'
import { assertAccessible, phone, readClipboard } from './visit.ts'

const RECORD_LAYOUT_SHIFT = `
  globalThis.layoutShift = 0
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) layoutShift += value
  }).observe({ type: 'layout-shift', buffered: true })`

describe('the filter playground', { skip: skipWithoutBrowser }, () => {
  const visit = visitPlayground()

  it('filters the picture of a URL, and shows timing, cache and the request', async () => {
    const { open, picture, url, source } = visit()
    const page = await open(at(picture, 'invert'))
    await page.locator('[data-after]').waitFor()
    await page.locator('[data-before]').waitFor()
    const details = await page.locator('[data-details]').innerText()
    for (const words of [/miss: computed now/, /Cache-Control/, /image\/png/, /fetch [\d.]+ ms/])
      assert.match(details, words)
    const request = `${url}/api/v2/filter/invert?${new URLSearchParams({ image: picture })}`
    assert.equal(await page.locator('[data-language=curl]').textContent(), `curl -o picture '${request}'`)
    const field = page.getByLabel('URL of the filtered image')
    assert.equal(await field.inputValue(), request)
    await field.focus()
    assert.equal(await page.evaluate('document.activeElement.selectionEnd'), request.length, 'focus selects the URL')
    await page.locator('[data-copy-url]').click()
    await page.locator('[data-copy-url][data-copied=Copied]').waitFor()
    await until(async () => (await readClipboard(page)) === request)
    assert.deepEqual(source.requestedPaths, ['/cat.png'], 'one fetch for before and after')
  })

  it('limits the strength to the range of the chosen filter, with fine steps for a weak blur', async () => {
    const page = await visit().open(at(visit().picture, 'greyscale'), phone)
    const slider = page.locator('[data-slider]')
    assert.equal(await slider.isVisible(), false)
    await chooseFilter(page, 'blur')
    const strength = page.getByLabel('Strength of step 1 (blur)', { exact: true })
    const blurred = waitForFilter(page, 'strength=6')
    await slider.press('ArrowRight')
    assert.match((await blurred).url(), /filter\/blur\?/)
    await slider.press('End')
    assert.equal(await strength.inputValue(), '256')
    await slider.press('ArrowLeft')
    assert.ok(Number(await strength.inputValue()) < 250, 'coarse steps for a strong blur')
    await strength.fill('9')
    assert.equal(await slider.getAttribute('aria-valuetext'), '9')
    await chooseFilter(page, 'contrast')
    const flat = waitForFilter(page, 'strength=-1')
    await slider.press('Home')
    assert.equal(await page.getByLabel('Strength of step 1 (contrast)', { exact: true }).inputValue(), '-1')
    await flat
    await until(() => stepsOf(page) === 'contrast:-1')
  })

  it('adds, reorders and removes filters by keyboard, and keeps the focus in the list', async () => {
    const page = await visit().open(at(visit().picture, 'invert'), phone)
    const focused = () =>
      page.evaluate<string>(
        '(({ ariaLabel, value, textContent }) => ariaLabel || value || textContent)(document.activeElement)',
      )
    await page.getByText('Click a filter to change the marked step.').waitFor()
    await page.getByRole('button', { name: 'Add a filter' }).press('Enter')
    await page.getByRole('radiogroup', { name: 'Filter of step 2' }).waitFor()
    assert.equal(await focused(), 'blur')
    await page.keyboard.press('ArrowRight')
    assert.equal(await focused(), 'greyscale')
    await page.getByRole('button', { name: 'Add a filter' }).press('Enter')
    await until(() => stepsOf(page) === 'invert,greyscale,blur:5')
    await page.getByRole('button', { name: 'Move step 3 (blur) up' }).press('Enter')
    assert.equal(await focused(), 'Move step 2 (blur) up')
    const chained = waitForFilter(page, 'steps=blur:5,invert,greyscale')
    await page.keyboard.press('Enter')
    assert.equal(await focused(), 'Move step 1 (blur) down', 'the first step cannot move up')
    const request = (await chained).url()
    assert.match(request, /\/api\/v2\/filter\/chain\?/)
    assert.equal(await page.locator('[data-language=curl] [data-url]').textContent(), request)
    await assertAccessible(page, '.playground')
    await page.getByRole('button', { name: 'Remove step 1 (blur)' }).press('Enter')
    assert.equal(await focused(), 'Remove step 1 (invert)')
    await page.keyboard.press('Enter')
    await until(() => stepsOf(page) === 'greyscale')
    await page.keyboard.press('Enter')
    assert.equal(await focused(), 'Add a filter')
    await page.getByText('No filter: the size and format still apply.').waitFor()
    await until(() => stepsOf(page) === '')
    await page.getByText('Click a filter to add it.').waitFor()
    await chooseFilter(page, 'normalize')
    await until(() => stepsOf(page) === 'normalize')
  })

  it('changes the filter of the selected step, and the back button undoes it', async () => {
    const page = await visit().open(at(visit().picture, 'blur:3,invert'))
    await page.locator('[data-after]').waitFor()
    await page.getByRole('button', { name: 'Step 1: blur' }).click()
    await chooseFilter(page, 'greyscale')
    await until(() => stepsOf(page) === 'greyscale,invert')
    await page.getByRole('button', { name: 'Remove step 2 (invert)' }).click()
    await until(() => stepsOf(page) === 'greyscale')
    await page.goBack()
    assert.equal(stepsOf(page), 'greyscale,invert')
    const first = waitForFilter(page, 'steps=blur:3,invert')
    await page.goBack()
    await page.getByRole('button', { name: 'Step 1: blur' }).waitFor()
    assert.match(await page.getByLabel('URL of the filtered image').inputValue(), /steps=blur:3,invert$/)
    await first
    await page.goForward()
    await page.getByRole('button', { name: 'Step 2: invert' }).waitFor()
    await page.getByRole('button', { name: 'Step 1: greyscale' }).waitFor()
  })

  it('draws the chosen image into each filter choice, without a request to the service', async () => {
    const { open, source } = visit()
    const body = await createNoisyImage('png', 640, 480)
    const page = await open('/robots.txt')
    const requests: string[] = []
    page.on('request', (request) => requests.push(new URL(request.url()).pathname))
    await page.goto(visit().url + at(source.put('/wide.png', { type: 'image/png', body }), 'blur'))
    await until(async () => new Set(await page.evaluate<string[]>(READ_THUMBNAILS)).size === 6)
    assert.deepEqual(requests.filter((path) => path.startsWith('/api/')).sort(), [
      '/api/v2/filter/blur',
      '/api/v2/filter/chain',
    ])
  })

  it('allows eight filters', async () => {
    const page = await visit().open(at(visit().picture, Array(9).fill('invert').join()))
    assert.match(await page.locator('[data-url-problem]').innerText(), /Up to 8 filters/)
    const add = page.getByRole('button', { name: 'Add a filter' })
    assert.equal(await add.isDisabled(), true)
    await page.getByRole('button', { name: 'Remove step 8 (invert)' }).click()
    assert.equal(await add.isEnabled(), true)
  })

  it('sets size, bytes and format, and a link restores all of it without moving the page', async () => {
    const { open, picture, url } = visit()
    const page = await open(at(picture, 'invert,blur:3'))
    await page.locator('summary').click()
    const values = { Width: '32', Height: '16', 'Maximum bytes': '9000' }
    for (const [label, value] of Object.entries(values)) await page.getByLabel(label).fill(value)
    await page.getByLabel('Fit').selectOption('cover')
    const filtered = waitForFilter(page, 'output=webp')
    await page.getByLabel('Format').selectOption('webp')
    const request = (await filtered).url()
    assert.ok(request.endsWith('&steps=invert,blur:3&width=32&height=16&fit=cover&maxBytes=9000&output=webp'), request)
    await until(async () => /32 × 16, \d+ B, image\/webp/.test(await page.locator('[data-details]').innerText()))
    const link = page.url()
    await page.goto(`${url}/robots.txt`)
    await page.addInitScript(RECORD_LAYOUT_SHIFT)
    const again = waitForFilter(page, '')
    await page.goto(link)
    assert.equal((await again).url(), request)
    await page.locator('[data-details] div').first().waitFor()
    assert.equal(page.url(), link)
    assert.equal(await page.getByLabel('Fit').inputValue(), 'cover')
    // Not 0: a browser may paint a part of the HTML first, which moves a few pixels. web.dev calls up to 0.1 good.
    assert.ok((await page.evaluate<number>('layoutShift')) < 0.01)
  })

  it('moves the divider between before and after by key and by pointer', async () => {
    const page = await visit().open(at(visit().picture, 'blur'))
    const divider = page.getByRole('slider', { name: 'Divider between before and after' })
    await divider.waitFor()
    await divider.press('ArrowLeft')
    assert.equal(await divider.inputValue(), '49')
    assert.equal(await divider.getAttribute('aria-valuetext'), '49 % before, 51 % after')
    const box = (await divider.boundingBox())!
    await page.mouse.move(box.x + box.width * 0.5, box.y + box.height / 2)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.8, box.y + box.height / 2, { steps: 4 })
    await page.mouse.up()
    const value = Number(await divider.inputValue())
    assert.ok(value > 70 && value < 90, `${value}`)
    const cut = await page.evaluate<string>("getComputedStyle(document.querySelector('[data-after]')).clipPath")
    assert.match(cut, new RegExp(`${value}%`))
  })

  it('filters one of the sample animals', async () => {
    const page = await visit().open('/playground?steps=invert')
    const inverted = waitForFilter(page, 'fox')
    await page.locator('.samples a').nth(2).click()
    const own = await page.locator('#image').inputValue()
    assert.match(own, /\/media\/animals\/fox\//)
    assert.match((await inverted).url(), /api\/v2\/filter\/invert/)
    await page.getByRole('slider', { name: 'Divider between before and after' }).waitFor()
  })
})
